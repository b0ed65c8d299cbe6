import { EventEmitter, once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import {
  decodeOtlp,
  pointsIn,
  spansIn,
  type ReceivedPoint,
  type ReceivedSpan,
} from './otlp-decoding.ts';

const WAIT_MS = 45_000;

/** A receiver of the OpenTelemetry protocol over HTTP, in protobuf and JSON, that remembers what has come. */
export class OtlpReceiver implements AsyncDisposable {
  readonly spans: ReceivedSpan[] = [];
  readonly points: ReceivedPoint[] = [];
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
  /** Bodies as they came, one after the other. */
  text = '';
  /** What is answered. */
  status = 200;
  readonly #server: Server;
  readonly #events = new EventEmitter().setMaxListeners(0);

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<OtlpReceiver> {
    const server = createServer();
    const receiver = new OtlpReceiver(server);
    server.on('request', async (request, response) => {
      await receiver.#receive(request);
      response.writeHead(receiver.status, { 'content-type': 'application/json' }).end('{}');
      receiver.#events.emit('received');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  /** Variables that send everything here soon. */
  get env(): Readonly<Record<string, string>> {
    return {
      OTEL_EXPORTER_OTLP_ENDPOINT: this.url,
      OTEL_BSP_SCHEDULE_DELAY: '50',
      OTEL_METRIC_EXPORT_INTERVAL: '200',
    };
  }

  /** Looks after each export, until it finds something. */
  async waitFor<T>(look: () => T | undefined, what: string): Promise<T> {
    const signal = AbortSignal.timeout(WAIT_MS);
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      await once(this.#events, 'received', { signal }).catch(() => {
        const names = [...new Set([...this.spans, ...this.points].map(({ name }) => name))];
        throw new Error(`${what} did not come; what came: ${names.join(', ')}`);
      });
    }
  }

  span(what: (span: ReceivedSpan) => boolean): ReceivedSpan | undefined {
    return this.spans.find(what);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #receive(request: IncomingMessage): Promise<void> {
    const bytes = await buffer(request);
    const { url: path = '', headers } = request;
    this.requests.push({ path, headers });
    this.text += bytes.toString();
    const isTraces = path.endsWith('/v1/traces');
    const isJson = headers['content-type'] === 'application/json';
    const body = decodeOtlp(isTraces ? 'Traces' : 'Metrics', isJson, bytes);
    if (isTraces) this.spans.push(...spansIn(body));
    else this.points.push(...pointsIn(body));
  }
}
