import type { EndpointLogLevel, LogOrigin } from '@trellis/contract/log-levels.ts';
import { ENDPOINT_LOG_CHARACTERS_MAX, ENDPOINT_LOG_LINES_MAX } from '#base/endpoint-limits.ts';
import { guestText } from './guest-text.ts';
import type { CallRecording } from './tracing/call-recording.ts';
import { levelOf, type EndpointLog, type RuntimeLogger } from './endpoint-log.ts';

interface CallLogParts {
  readonly endpoint: string;
  readonly call: {
    readonly caller: { readonly userUid: string | null };
    readonly traceId?: string | undefined;
    /** Told each line. */
    readonly onLog?: ((text: string) => void) | undefined;
  };
  readonly logger: RuntimeLogger;
  readonly logs: EndpointLog;
  readonly recording: Pick<CallRecording, 'log'>;
  /** Those that its former runs have logged, where it is run again. */
  readonly repeated: () => RepeatedLines | undefined;
}

/**
 * The lines of one call, in the server's log and among those that administrators look at.
 */
export class CallLog {
  readonly #parts: CallLogParts;
  #count = 0;
  /** Names the call among those that have logged; undefined when it has not. */
  run: number | undefined;

  constructor(parts: CallLogParts) {
    this.#parts = parts;
  }

  /** The call begins again. */
  again(): void {
    this.#count = 0;
  }

  /** A line of the endpoint's own; `record` is JSON text that the guest made. */
  log(level: string, record: string): void {
    if (++this.#count > ENDPOINT_LOG_LINES_MAX) return;
    if (this.#count === ENDPOINT_LOG_LINES_MAX) {
      this.#write('warn', 'this run logs too much: the rest is left out');
      return;
    }
    const isTooLong = record.length > ENDPOINT_LOG_CHARACTERS_MAX;
    const { message, data } = Object(isTooLong ? {} : JSON.parse(record)) as Record<
      string,
      unknown
    >;
    const text = isTooLong ? record.slice(0, ENDPOINT_LOG_CHARACTERS_MAX) : guestText(message);
    this.#write(levelOf(level), text, data);
  }

  unlogged(lines: number): void {
    if (this.#count < ENDPOINT_LOG_LINES_MAX || !(lines > 0)) return;
    this.#write('warn', `${Math.round(lines)} more lines of this run were left out`);
  }

  /**
   * Why it has no answer, among the lines that administrators look at; the server's log has it by
   * other ways.
   */
  failure(message: string, data: Readonly<Record<string, unknown>>): void {
    this.#keep('error', message.slice(0, ENDPOINT_LOG_CHARACTERS_MAX), JSON.stringify(data));
  }

  #write(level: EndpointLogLevel, text: string, data?: unknown): void {
    const { endpoint, call, logger, repeated } = this.#parts;
    const { traceId } = call;
    if (repeated()?.isRepeated(`${endpoint} ${level} ${text}`) === true) return;
    const origin = 'endpoint' satisfies LogOrigin;
    // What is undefined is no member of a record.
    logger[level]({ origin, endpoint, traceId, data }, text);
    this.#keep(level, text, data === undefined ? '' : JSON.stringify(data));
  }

  #keep(level: EndpointLogLevel, message: string, data: string): void {
    const { endpoint, call, logs, recording } = this.#parts;
    recording.log(level, message);
    const user = call.caller.userUid;
    this.run ??= logs.nextRun();
    call.onLog?.(message);
    logs.push({ endpoint, level, message, data, user, run: this.run });
  }
}

const LINE_CHARACTERS = 500;

/**
 * The lines of a call that is run again: those that its former runs have logged as well are left
 * out.
 */
export class RepeatedLines {
  #former: readonly string[] = [];
  #present: string[] = [];

  again(): void {
    if (this.#present.length > this.#former.length) this.#former = this.#present;
    this.#present = [];
  }

  isRepeated(line: string): boolean {
    const at = this.#present.length;
    if (at >= ENDPOINT_LOG_LINES_MAX) return false;
    const kept = line.slice(0, LINE_CHARACTERS);
    this.#present.push(kept);
    return this.#former[at] === kept;
  }
}
