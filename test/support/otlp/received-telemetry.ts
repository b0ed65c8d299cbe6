import { EventEmitter, once } from 'node:events';
import {
  decodeOtlp,
  pointsIn,
  spansIn,
  type ReceivedPoint,
  type ReceivedSpan,
} from './otlp-decoding.ts';

const WAIT_MS = 120_000;

export interface ReceivedRequest {
  /** The path of the request; over gRPC it names service and method. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** What has come to a receiver of the OpenTelemetry protocol, whichever way it came. */
export class ReceivedTelemetry {
  readonly spans: ReceivedSpan[] = [];
  readonly points: ReceivedPoint[] = [];
  readonly requests: ReceivedRequest[] = [];
  /** Bodies as they came, one after the other. */
  text = '';
  readonly #events = new EventEmitter().setMaxListeners(0);

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

  protected take(
    request: ReceivedRequest,
    { isTraces, isJson, bytes }: { isTraces: boolean; isJson: boolean; bytes: Buffer },
  ): void {
    this.requests.push(request);
    this.text += bytes.toString();
    const body = decodeOtlp(isTraces ? 'Traces' : 'Metrics', isJson, bytes);
    if (isTraces) this.spans.push(...spansIn(body));
    else this.points.push(...pointsIn(body));
  }

  /** Once it is answered. */
  protected answered(): void {
    this.#events.emit('received');
  }
}
