/* One person answers one collection: example DESIGN.json VALUE… prints the report in hexadecimal digits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "shoal_device.h"

static char design[1 << 16];

/* The answer of the last call, or the reason why there is none. */
static void show(FILE *to, const char *title) {
    fprintf(to, "%s%.*s\n", title, (int)shoal_result_length(), (const char *)shoal_result());
}

int main(int count, char **arguments) {
    if (count < 3) {
        fprintf(stderr, "usage: example DESIGN.json VALUE...\n");
        return 2;
    }
    FILE *file = fopen(arguments[1], "rb");
    if (!file) {
        perror(arguments[1]);
        return 1;
    }
    size_t length = fread(design, 1, sizeof design, file);
    fclose(file);

    /* No design may reveal more than this, and all reports together no more than twice as much. */
    const char *limits = "{\"any_two_records\":\"20\",\"total\":\"40\"}";
    ShoalDevice *device = NULL;
    /* An app passes the ledger that it stored after the last report instead of nothing. */
    if (shoal_device_open((const uint8_t *)design, length, (const uint8_t *)limits, strlen(limits), NULL, 0, &device)) {
        show(stderr, "refused: ");
        return 1;
    }
    shoal_device_promise(device);
    show(stdout, "");

    int values_count = count - 2;
    double *values = malloc(sizeof *values * (size_t)values_count);
    if (!values) {
        return 1;
    }
    for (int i = 0; i < values_count; i++) {
        values[i] = strtod(arguments[i + 2], NULL);
    }
    uint32_t day = (uint32_t)(time(NULL) / 86400);
    int status = shoal_device_report(device, values, (size_t)values_count, day, 0, 0);
    free(values);
    if (status) {
        show(stderr, "refused: ");
        shoal_device_free(device);
        return 1;
    }
    printf("report: ");
    for (size_t i = 0; i < shoal_result_length(); i++) {
        printf("%02x", shoal_result()[i]);
    }
    printf("\n");
    /* Stored before the report is sent, so that it is never forgotten. */
    shoal_device_ledger(device);
    show(stdout, "ledger: ");
    shoal_device_free(device);
    return 0;
}
