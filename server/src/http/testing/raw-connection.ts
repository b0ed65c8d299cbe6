import { connect, type Socket } from 'node:net';
import { once } from 'node:events';

export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** A bare TCP connection, to send what no HTTP client would. */
export class RawConnection implements AsyncDisposable {
  readonly #socket: Socket;
  #received = '';
  readonly #ended: Promise<void>;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      this.#received += text;
    });
    // A reset is one more way for the server to end a connection.
    socket.on('error', () => {});
    this.#ended = new Promise((resolve) => socket.once('close', () => resolve()));
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  send(text: string): void {
    this.#socket.write(text, 'latin1');
  }

  /** The next whole answer; rejects when the connection ends before there is one. */
  async response(): Promise<RawResponse> {
    for (;;) {
      const whole = this.#takeResponse();
      if (whole !== undefined) return whole;
      if (this.#socket.closed) throw new Error(`no answer, but ${JSON.stringify(this.#received)}`);
      await Promise.race([once(this.#socket, 'data'), this.#ended]);
    }
  }

  /**
   * Resolves once the server has closed the connection, with what was received and not yet taken.
   */
  async closed(): Promise<string> {
    await this.#ended;
    return this.#received;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.destroy();
    await this.#ended;
  }

  #takeResponse(): RawResponse | undefined {
    const end = this.#received.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const [statusLine = '', ...lines] = this.#received.slice(0, end).split('\r\n');
    const headers = new Headers(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    );
    const bodyEnd = end + 4 + Number(headers.get('content-length') ?? 0);
    if (this.#received.length < bodyEnd) return undefined;
    const body = this.#received.slice(end + 4, bodyEnd);
    this.#received = this.#received.slice(bodyEnd);
    return { status: Number(statusLine.split(' ')[1]), headers, body };
  }
}

/** A call of an endpoint without a body. */
export function rawRun(token: string): string {
  return `POST /api/cce/x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
}

/** The head of an ingest whose NDJSON follows in chunks. */
export function chunkedIngest(token: string): string {
  return [
    'POST /api/ingest HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/x-ndjson',
    'Transfer-Encoding: chunked',
    '\r\n',
  ].join('\r\n');
}

export function chunkOf(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}
