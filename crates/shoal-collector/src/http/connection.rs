//! Connections: how many, how long, and how they end. Nothing about who is at the other end is kept or logged.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use crate::server::Limits;
use crate::service::Service;

/// How long to wait when the system has no room for another connection.
const BREATH: Duration = Duration::from_millis(50);

/// Takes connections until the server ends.
pub(crate) async fn serve(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    router: Router,
    service: Arc<Service>,
    mut ended: watch::Receiver<bool>,
) {
    loop {
        // At the limit nobody is let in until someone leaves; those who say nothing are shown out after a while.
        let permit = tokio::select! {
            permit = service.connections.clone().acquire_owned() => permit,
            _ = ended.changed() => return,
        };
        let Ok(permit) = permit else { return };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = ended.changed() => return,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Out of files, usually: it passes.
                tracing::warn!(%error, "a connection was not accepted");
                tokio::time::sleep(BREATH).await;
                continue;
            }
        };
        tune(&stream, &service.limits);
        let (tls, router, limits, ended) = (tls.clone(), router.clone(), service.limits.clone(), ended.clone());
        tokio::spawn(async move {
            let _permit = permit;
            match tls {
                None => speak(stream, router, &limits, ended).await,
                // Whoever does not get through the greeting in time is shown out.
                Some(tls) => {
                    if let Ok(Ok(stream)) = timeout(limits.head, tls.accept(stream)).await {
                        speak(stream, router, &limits, ended).await;
                    }
                }
            }
        });
    }
}

/// Answers at once, and notices when the other end is gone.
fn tune(stream: &TcpStream, limits: &Limits) {
    let socket = SockRef::from(stream);
    let keepalive = TcpKeepalive::new().with_time(limits.head).with_interval(limits.head);
    // All of these are for comfort: a connection without them works.
    let _ = stream.set_nodelay(true);
    let _ = socket.set_tcp_keepalive(&keepalive);
    #[cfg(target_os = "linux")]
    let _ = socket.set_tcp_user_timeout(Some(limits.read));
}

/// Serves one connection.
async fn speak(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    router: Router,
    limits: &Limits,
    mut ended: watch::Receiver<bool>,
) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_buf_size(64 << 10)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let mut connection = std::pin::pin!(connection);
    // Faults of a connection are the other end's: cut off, too slow, not HTTP.
    tokio::select! {
        _ = connection.as_mut() => return,
        _ = ended.wait_for(|ended| *ended) => {}
        () = tokio::time::sleep(limits.connection) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = timeout(limits.ending, connection).await;
}
