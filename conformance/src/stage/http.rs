use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::profile::Answer;

/// An HTTP/1.1 server on the loopback interface with fixed answers. It ends on drop.
#[derive(Debug)]
pub(super) struct Server {
    address: SocketAddr,
    answers: Arc<Answers>,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Whole responses by path.
type Answers = Mutex<HashMap<String, Vec<u8>>>;

/// The longest head of a request.
const MAX_HEAD: usize = 16 << 10;

/// How long a client may take to send its request.
const PATIENCE: Duration = Duration::from_secs(2);

impl Server {
    pub(super) fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let (answers, over) = (
            Arc::new(Answers::default()),
            Arc::new(AtomicBool::new(false)),
        );
        let thread = thread::spawn({
            let (answers, over) = (Arc::clone(&answers), Arc::clone(&over));
            move || {
                for connection in listener.incoming() {
                    if over.load(Ordering::Acquire) {
                        return;
                    }
                    // A client that goes away or talks nonsense is its own business.
                    let _ = connection.and_then(|connection| serve(connection, &answers));
                }
            }
        });
        Ok(Self {
            address,
            answers,
            over,
            thread: Some(thread),
        })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// From now on this is the answer for the answer's path.
    pub(super) fn answer(&self, answer: &Answer, body: &str) {
        let mut response = format!("HTTP/1.1 {} -\r\n", answer.status);
        for (name, value) in &answer.headers {
            response.push_str(&format!("{name}: {value}\r\n"));
        }
        let length = body.len();
        response.push_str(&format!(
            "Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        ));
        locked(&self.answers).insert(answer.path.clone(), response.into_bytes());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Release);
        // Wakes it.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn locked(answers: &Answers) -> MutexGuard<'_, HashMap<String, Vec<u8>>> {
    answers.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(mut connection: TcpStream, answers: &Answers) -> io::Result<()> {
    connection.set_read_timeout(Some(PATIENCE))?;
    connection.set_write_timeout(Some(PATIENCE))?;
    let Some(path) = requested(&mut connection)? else {
        return connection.write_all(BAD_REQUEST);
    };
    let answer = locked(answers).get(&path).cloned();
    connection.write_all(answer.as_deref().unwrap_or(NOT_FOUND))
}

const BAD_REQUEST: &[u8] = b"HTTP/1.1 400 -\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
const NOT_FOUND: &[u8] = b"HTTP/1.1 404 -\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/// The path that is asked for, without its query; nothing if that is no request.
fn requested(connection: &mut TcpStream) -> io::Result<Option<String>> {
    let (mut head, mut chunk) = (Vec::new(), [0; 1024]);
    while head.len() < MAX_HEAD {
        let length = connection.read(&mut chunk)?;
        if length == 0 {
            return Ok(None);
        }
        head.extend_from_slice(&chunk[..length]);
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut request = httparse::Request::new(&mut headers);
        match request.parse(&head) {
            Ok(httparse::Status::Complete(_)) => {
                let path = request.path.and_then(|path| path.split('?').next());
                return Ok(path.map(str::to_owned));
            }
            Ok(httparse::Status::Partial) => {}
            Err(_) => return Ok(None),
        }
    }
    Ok(None)
}
