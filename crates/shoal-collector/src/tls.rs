//! TLS on the public port, with certificate and key from files.

use std::path::PathBuf;
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::error::CollectorError;

/// Files of a certificate, both PEM.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// The certificate of the server, then those of its issuers.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

impl TlsFiles {
    /// What answers those who call.
    pub(crate) fn acceptor(&self) -> Result<TlsAcceptor, CollectorError> {
        let unusable = |path: &PathBuf, why: String| CollectorError::Tls { path: path.clone(), why };
        let certificates = CertificateDer::pem_file_iter(&self.certificate)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|error| unusable(&self.certificate, error.to_string()))?;
        let key = PrivateKeyDer::from_pem_file(&self.key).map_err(|error| unusable(&self.key, error.to_string()))?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(certificates, key))
            .map_err(|error| unusable(&self.certificate, error.to_string()))?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}
