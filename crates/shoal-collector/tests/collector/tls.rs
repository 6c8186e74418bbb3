//! TLS on the public port, and keys of relaying servers.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use shoal_collector::{KeyHash, TlsFiles};
use shoal_device::wire::encode;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::place::{BINARY, Place, crowd, exchange, taken};

#[test]
fn reports_travel_over_tls() {
    let folder = tempfile::tempdir().unwrap();
    let made = rcgen::generate_simple_self_signed(["collector.example".to_string()]).unwrap();
    let files = TlsFiles { certificate: folder.path().join("cert.pem"), key: folder.path().join("key.pem") };
    std::fs::write(&files.certificate, made.cert.pem()).unwrap();
    std::fs::write(&files.key, made.signing_key.serialize_pem()).unwrap();
    let place = Place::with(|settings| settings.tls = Some(files));
    let design = place.create(|_| ());
    let mut roots = RootCertStore::empty();
    roots.add(made.cert.der().clone()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("collector.example").unwrap();
    let connection = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = StreamOwned::new(connection, TcpStream::connect(place.server().public_address()).unwrap());
    let body = encode(&crowd(&design, 1, place.today(), 4));
    let head = format!(
        "POST /v1/collections/survey/reports HTTP/1.1\r\nhost: collector.example\r\ncontent-type: {BINARY}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&body).unwrap();
    let mut answer = String::new();
    // The other end may close without a farewell.
    let _ = stream.read_to_string(&mut answer);
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\"accepted\":4"), "{answer}");
    // Plain HTTP is not answered there.
    assert!(exchange(place.server().public_address(), "GET", "/healthz", &[], b"").is_err());
    assert_eq!(place.count("survey"), 4);
}

#[test]
fn files_that_are_no_certificate_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cert.pem");
    std::fs::write(&file, "no certificate").unwrap();
    let clock = shoal_collector::Clock::standing_at(0);
    let mut settings = crate::place::settings(&folder.path().join("data"), &clock);
    settings.tls = Some(TlsFiles { certificate: file.clone(), key: file });
    assert_eq!(shoal_collector::Server::start(settings).err().unwrap().code(), "tls-files");
}

#[test]
fn a_relaying_server_needs_its_key() {
    let place = Place::new();
    let key = "a long key of the relaying server";
    let design = place.create(|collection| collection.relay_key_sha256 = Some(KeyHash::of(key).to_hex()));
    let body = encode(&crowd(&design, 1, place.today(), 4));
    let post = |headers: &[(&str, &str)]| {
        let all = [&[("content-type", BINARY)][..], headers].concat();
        exchange(place.server().public_address(), "POST", "/v1/collections/survey/reports", &all, &body).unwrap()
    };
    assert_eq!((post(&[]).status, post(&[]).code().as_str()), (401, "unauthorised"));
    assert_eq!(post(&[("authorization", "Bearer another key")]).status, 401);
    assert_eq!(post(&[("authorization", &format!("Bearer {key}"))]).json(), taken(4, 0));
    assert_eq!(place.refused("survey", "unauthorised"), 3);
    let about = place.public("GET", "/v1/collections/survey", "", b"").json();
    assert_eq!(about["enrolment"], "relay");
    assert!(!about.to_string().contains(&KeyHash::of(key).to_hex()), "not even the hash is shown");
}
