"""First inputs for the fuzz targets: small real files, which random bytes rarely become.

By hand: python fuzz/make_seeds.py SHOAL_PROGRAM
Writes into fuzz/corpus/. Needs polars (pip install polars) for Parquet and Arrow files.
"""

import datetime
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CELLS = ["1.234,50 €", "$39,474", "-12 %", "1985-04-05", "05/04/1985 18:30", "true", "NA", "1e5", "12,5", "(17)", "1'234.5", "8:30 PM"]
SHEET = ('<row r="1"><c r="A1" t="inlineStr"><is><t>x</t></is></c><c r="B1" t="inlineStr"><is><t>y</t></is></c></row>'
         '<row r="2"><c r="A2"><v>1.5</v></c><c r="B2" s="1"><v>44000</v></c></row>'
         '<row r="3"><c r="A3" t="b"><v>1</v></c><c r="B3" t="e"><v>#N/A</v></c></row>')


def seed(target, name, data):
    folder = HERE / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"seed-{name}").write_bytes(data)


def listed(data):
    """Bytes as the crate arbitrary reads a list that comes last: each after a byte that says that one follows."""
    return b"".join(bytes([1, byte]) for byte in data)


def texts():
    for i, cell in enumerate(CELLS):
        first = cell.encode()
        seed("cells", i, bytes([i % 9]) + listed(first) + b"\0" + listed(b"2000-12-31"))
    for i, text in enumerate(["x,y\n1,2\n3,4\n", "x;y\r\n1,5;2\r\n;4\r\n", "a\r1\r2\r", 'x,y\n"1","2"\n3,\n', "\ufeffx|y\n1|2\n"]):
        for flags in range(4):
            seed("csv", f"{i}-{flags}", bytes([flags & 1, flags >> 1]) + listed(text.encode()))
    seed("workbook", 0, bytes([0, 0]) + listed(SHEET.encode()))
    for i, text in enumerate(["-1,1", "age=17:90,hours=1:99", '{"age": [17, 90], "hours": {"min": 1, "max": 99}}',
                              "age = [17, 90]\nhours = [1, 99]\n", "born=1930-01-01:2010-12-31"]):
        seed("bounds", i, text.encode())
    for path in sorted((HERE.parent / "vectors" / "device").glob("*.json")):
        seed("design", path.stem, json.dumps(json.loads(path.read_text())["design"]).encode())
    wire = json.loads((HERE.parent / "vectors" / "wire" / "v1.json").read_text())
    for number, case in enumerate(wire["accepted"]):
        seed("wire", f"{number}-binary", bytes.fromhex(case["binary"]))
        seed("wire", f"{number}-json", case["json"].encode())


def tables():
    import polars

    day = datetime.date(2000, 1, 1)
    frame = polars.DataFrame({
        "a": [1.5, -2.0, None, 4.0],
        "b": [1, 2, 3, 4],
        "c": [True, False, None, True],
        "d": [day, day, None, day],
        "e": ["1", "2,5", "x", ""],
    }, schema_overrides={"b": polars.Int16})
    numbers = frame.select("a", "b").fill_null(0)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "t"
        for compression in ["uncompressed", "snappy", "zstd", "gzip", "lz4"]:
            for name, table in [("all", frame), ("numbers", numbers)]:
                table.write_parquet(path, compression=compression)
                seed("parquet", f"{name}-{compression}", path.read_bytes())
        for compression in ["uncompressed", "zstd", "lz4"]:
            frame.write_ipc(path, compression=compression)
            seed("arrow", compression, path.read_bytes())


def released(shoal):
    with tempfile.TemporaryDirectory() as folder:
        def run(*arguments):
            subprocess.run([shoal, *arguments, "--quiet"], cwd=folder, check=True, stdout=subprocess.DEVNULL)

        pathlib.Path(folder, "t.csv").write_text("x,y\n" + "".join(f"{i},{20 - i}\n" for i in range(20)))
        for name in ["r.csv", "r.parquet"]:
            run("perturb", "t.csv", "-e", "4", "-b", "0,20", "--out", name)
            seed("reports", name, pathlib.Path(folder, name).read_bytes())
        run("consortium", "init", "--columns", "x,y", "-b", "0,20", "-e", "1", "--bits", "16", "--out", "a.json")
        run("consortium", "encode", "t.csv", "-a", "a.json", "--max-epsilon", "1000", "--out", "c.parquet")
        seed("codes", "rows", pathlib.Path(folder, "c.parquet").read_bytes())


if __name__ == "__main__":
    texts()
    tables()
    released(str(pathlib.Path(sys.argv[1]).resolve()))
