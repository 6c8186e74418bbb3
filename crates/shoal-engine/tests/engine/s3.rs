//! An S3-compatible store: moto's server, which `./test.sh engine` installs and this test starts, on loopback.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use object_store::ObjectStoreExt;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path;
use shoal::Fit;

use crate::tables::{both, people};

/// Ends the server with the test.
struct Server {
    process: Child,
    address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

impl Server {
    fn start() -> Self {
        let program = std::env::var_os("MOTO_SERVER").map(PathBuf::from);
        let program = program.expect("MOTO_SERVER names moto's server; `./test.sh engine` installs it");
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new(program);
        command.args(["-H", "127.0.0.1", "-p", &port.to_string()]).stdout(Stdio::null()).stderr(Stdio::null());
        let server = Self { process: command.spawn().unwrap(), address: format!("http://127.0.0.1:{port}") };
        let begun = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(120), "moto's server does not start");
            std::thread::sleep(Duration::from_millis(100));
        }
        server
    }

    fn bucket(&self) -> AmazonS3 {
        let builder =
            AmazonS3Builder::new().with_endpoint(&self.address).with_bucket_name("lake").with_region("us-east-1");
        builder.with_access_key_id("key").with_secret_access_key("secret").with_allow_http(true).build().unwrap()
    }

    /// The program with the credentials in its environment.
    fn engine(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_shoal-engine"));
        command
            .env_remove("SHOAL_LEDGER")
            .env("AWS_ENDPOINT", &self.address)
            .env("AWS_ACCESS_KEY_ID", "key")
            .env("AWS_SECRET_ACCESS_KEY", "secret")
            .env("AWS_REGION", "us-east-1")
            .env("AWS_ALLOW_HTTP", "true");
        command
    }
}

/// A bucket is made by a PUT without a body, which the store's own interface has no call for.
fn make_bucket(address: &str) {
    use std::io::{Read, Write};
    let host = address.trim_start_matches("http://");
    let mut stream = std::net::TcpStream::connect(host).unwrap();
    let head = format!("PUT /lake HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[test]
#[ignore = "needs moto's server; ./test.sh engine runs it"]
fn tables_in_a_bucket_give_the_same_model() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, pieces) = both(folder.path(), people(900));
    let server = Server::start();
    make_bucket(&server.address);
    let (bucket, runtime) = (server.bucket(), tokio::runtime::Runtime::new().unwrap());
    for year in [2025, 2026] {
        for piece in 0..9 {
            let bytes = std::fs::read(format!("{pieces}/part-{piece}.parquet")).unwrap();
            let place = Path::from(format!("people/year={year}/part-{piece}.parquet"));
            runtime.block_on(bucket.put(&place, bytes.into())).unwrap();
        }
    }
    let fit = Fit::new(3, "2").unwrap().bounds("age=17:90,income=0:10000").unwrap().rows(900).seed(6);
    let expected = fit.run(&whole).unwrap().to_json();
    let options = ["-k", "3", "-e", "2", "-b", "age=17:90,income=0:10000", "--rows", "900", "--seed", "6"];
    let run = |place: &str, more: &[&str]| {
        let output =
            server.engine().args(["fit", place, "--format", "json"]).args(options).args(more).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let cases = [
        ("s3://lake/people/year=2026/", &[][..]),
        ("s3://lake/people/", &["--sql", "select age, income from people where year = 2025"][..]),
    ];
    for (place, more) in cases {
        let (code, out, err) = run(place, more);
        assert_eq!(code, Some(0), "{err}");
        // With a query, the guarantee has one condition more.
        let centres = |json: &str| serde_json::from_str::<serde_json::Value>(json).unwrap()["centers"].clone();
        assert!(centres(&out).is_array() && centres(&out) == centres(&expected), "{place}: {out}");
        assert!(!more.is_empty() || out.trim() == expected.trim(), "{place}");
    }
    for place in ["s3://lake/nobody/", "s3://pond/people/"] {
        let (code, out, err) = run(place, &[]);
        assert!(code == Some(1) && out.is_empty() && err.contains(place), "{err}");
        assert!(!err.contains("secret"), "{err}");
    }
}
