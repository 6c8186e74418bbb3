/* Runs vectors/clients.tsv through the library, then what a client may do wrong: vectors FILE */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shoal_device.h"

#define CHECK(what)                                                                     \
    do {                                                                                \
        if (!(what)) {                                                                  \
            fprintf(stderr, "line %d: not so: %s\n", __LINE__, #what);                  \
            fprintf(stderr, "%.*s\n", (int)shoal_result_length(), (const char *)shoal_result()); \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)

static char line[1 << 20], first_design[1 << 16];
static uint8_t tape[1 << 18];

static size_t from_hex(const char *text, uint8_t *bytes) {
    size_t length = strlen(text) / 2;
    for (size_t i = 0; i < length; i++) {
        unsigned byte;
        CHECK(sscanf(text + 2 * i, "%2x", &byte) == 1);
        bytes[i] = (uint8_t)byte;
    }
    return length;
}

static int result_has(const char *text) {
    static char copy[1 << 16];
    size_t length = shoal_result_length();
    CHECK(length < sizeof copy);
    memcpy(copy, shoal_result(), length);
    copy[length] = 0;
    return strstr(copy, text) != NULL;
}

static int open_device(const char *limits, const char *ledger, ShoalDevice **device) {
    return shoal_device_open((const uint8_t *)first_design, strlen(first_design), (const uint8_t *)limits, strlen(limits),
                             (const uint8_t *)ledger, strlen(ledger), device);
}

static void vectors(const char *path) {
    FILE *file = fopen(path, "r");
    CHECK(file);
    int cases = 0;
    while (fgets(line, sizeof line, file)) {
        char *name = strtok(line, "\t"), *design = strtok(NULL, "\t"), *numbers = strtok(NULL, "\t");
        char *day = strtok(NULL, "\t"), *tape_text = strtok(NULL, "\t"), *expected = strtok(NULL, "\t\n");
        CHECK(expected);
        if (strncmp(name, "laplace/", 8) == 0) {
            strcpy(first_design, design);
        }
        double values[16];
        size_t count = 0;
        for (char *at = numbers; *at; count++) {
            values[count] = strtod(at, &at);
            at += *at == ',';
        }
        size_t tape_length = from_hex(tape_text, tape);
        int status = shoal_tape_report((const uint8_t *)design, strlen(design), values, count,
                                       (uint32_t)strtoul(day, NULL, 10), tape, tape_length);
        CHECK(status == 0);
        CHECK(shoal_tape_used() == tape_length);
        uint8_t wanted[4096];
        size_t length = from_hex(expected, wanted);
        if (length != shoal_result_length() || memcmp(wanted, shoal_result(), length) != 0) {
            fprintf(stderr, "%s: another report than expected\n", name);
            exit(1);
        }
        cases++;
    }
    fclose(file);
    CHECK(cases >= 50);
    printf("%d reports as on other machines\n", cases);
}

int main(int count, char **arguments) {
    CHECK(count == 2);
    vectors(arguments[1]);

    ShoalDevice *device = NULL;
    CHECK(open_device("", "", &device) == 0);
    CHECK(shoal_device_about(device) == 0 && result_has("\"columns\":[{") && result_has("\"guarantees\":[{"));
    CHECK(shoal_device_promise(device) == 0 && result_has("If someone is unsure"));
    double record[3] = {30, 40, 0};
    CHECK(shoal_device_report(device, record, 2, 20500, 0, 0) == 1 && result_has("wrong-length"));
    CHECK(shoal_device_report(device, record, 3, 20500, 7, 0) == 1 && result_has("client-repeat"));
    CHECK(shoal_device_simulate(device, record, 3, 10) == 0 && shoal_result_length() == 10 * 3 * sizeof(double));
    CHECK(shoal_device_report(device, record, 3, 20500, 0, 0) == 0);
    uint8_t sent[256];
    size_t length = shoal_result_length();
    CHECK(length < sizeof sent);
    memcpy(sent, shoal_result(), length);
    CHECK(shoal_device_report(device, record, 3, 20500, 0, 0) == 1 && result_has("already-answered"));

    /* The ledger outlives the device. */
    CHECK(shoal_device_ledger(device) == 0);
    static char ledger[1 << 14];
    CHECK(shoal_result_length() < sizeof ledger);
    memcpy(ledger, shoal_result(), shoal_result_length());
    shoal_device_free(device);
    CHECK(open_device("", ledger, &device) == 0);
    CHECK(shoal_device_report(device, record, 3, 20501, 0, 0) == 1 && result_has("already-answered"));
    CHECK(shoal_device_report(device, record, 3, 20501, 1, 0) == 0);
    CHECK(shoal_result_length() == length && memcmp(sent, shoal_result(), length) == 0);
    CHECK(shoal_device_report(device, record, 3, 20501, 2, 2) == 0);
    CHECK(shoal_device_about(device) == 0 && result_has("\"reports\":2"));
    shoal_device_free(device);
    device = NULL;

    CHECK(open_device("{\"any_two_records\":\"0.001\"}", "", &device) == 1 && result_has("over-limit"));
    CHECK(open_device("{\"any_tow_records\":\"1\"}", "", &device) == 1 && result_has("client-limit"));
    CHECK(open_device("{\"total\":\"much\"}", "", &device) == 1 && result_has("client-limit"));
    CHECK(open_device("", "{}", &device) == 1 && result_has("device-ledger-unreadable"));
    CHECK(device == NULL);
    first_design[0] = '[';
    CHECK(open_device("", "", &device) == 1 && result_has("design-unreadable"));
    first_design[0] = (char)0xff;
    CHECK(open_device("", "", &device) == 1 && result_has("client-not-utf8"));
    CHECK(shoal_device_open(NULL, 5, NULL, 0, NULL, 0, &device) == 1 && result_has("client-null-pointer"));
    CHECK(open_device("", "", NULL) == 1 && result_has("client-null-pointer"));
    CHECK(shoal_device_about(NULL) == 1 && result_has("client-null-pointer"));
    CHECK(shoal_device_report(NULL, record, 3, 0, 0, 0) == 1 && result_has("client-null-pointer"));
    shoal_device_free(NULL);
    printf("refused what is to be refused\n");
    return 0;
}
