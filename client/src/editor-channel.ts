import type {
  WebSocketRequestBody,
  WebSocketRequestType,
  WebSocketResult,
} from '@trellis/contract/web-socket.ts';
import type { Immutable } from '@trellis/contract/immutable.ts';
import { TrellisError } from './trellis-error.ts';
import { webSocketUrl } from './transport.ts';

export interface EditorChannelOptions {
  /** The address of the service, with a slash at its end. */
  readonly baseUrl: URL;
  /** Where to open the channel: asked each time. `isLost` when the one before broke off. */
  readonly locate: (how: { readonly isLost: boolean }) => Promise<URL>;
  /** Asked whenever the channel opens. */
  readonly token: () => string | undefined;
}

type Body<T extends WebSocketRequestType> = Immutable<WebSocketRequestBody<T>>;
type Result<T extends WebSocketRequestType> = Immutable<WebSocketResult<T>>;

interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
}

interface PendingRequest {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * Asks the compiler of the service about code that is being written, over one WebSocket that opens
 * with the first request, and again after it was closed. For sessions of administrators. Lines and
 * columns start at 1.
 *
 * Every method rejects with a `TrellisError`, or with the signal's reason when it was aborted. A
 * newer completion, hover or signature help ends one that has no answer yet: that one rejects with
 * the code `request_superseded`.
 */
export class EditorChannel implements Disposable {
  readonly #options: EditorChannelOptions;
  #connection: Connection | undefined;

  constructor(options: EditorChannelOptions) {
    this.#options = options;
  }

  /** What `checkEndpoint` answers. */
  diagnostics(
    draft: Body<'EDITOR_DIAGNOSTICS'>,
    options?: RequestOptions,
  ): Promise<Result<'EDITOR_DIAGNOSTICS'>> {
    return this.#request('EDITOR_DIAGNOSTICS', draft, options);
  }

  completions(
    place: Body<'EDITOR_COMPLETION'>,
    options?: RequestOptions,
  ): Promise<Result<'EDITOR_COMPLETION'>> {
    return this.#request('EDITOR_COMPLETION', place, options);
  }

  /** Null where there is nothing to say; so is signature help outside of a call. */
  hover(place: Body<'EDITOR_HOVER'>, options?: RequestOptions): Promise<Result<'EDITOR_HOVER'>> {
    return this.#request('EDITOR_HOVER', place, options);
  }

  signatureHelp(
    place: Body<'EDITOR_SIGNATURE'>,
    options?: RequestOptions,
  ): Promise<Result<'EDITOR_SIGNATURE'>> {
    return this.#request('EDITOR_SIGNATURE', place, options);
  }

  /** Requests without an answer reject with `connection_failed`. */
  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async #request<T extends WebSocketRequestType>(
    type: T,
    body: Body<T>,
    { signal }: RequestOptions = {},
  ): Promise<Result<T>> {
    signal?.throwIfAborted();
    if (this.#connection?.isClosed !== false) {
      const isLost = this.#connection !== undefined;
      this.#connection = new Connection(this.#options, isLost);
    }
    const answer = this.#connection.request(type, body);
    let abort = (): void => undefined;
    const aborted = new Promise<never>((_resolve, reject) => {
      abort = () => reject(signal?.reason);
    });
    signal?.addEventListener('abort', abort);
    try {
      return (await Promise.race([answer, aborted])) as Result<T>;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }
}

/** One WebSocket, from its opening to its close. */
class Connection {
  #url: URL;
  #socket: WebSocket | undefined;
  readonly #pending = new Map<number, PendingRequest>();
  /** Requests that came before the token was taken. */
  #waiting: string[] | undefined = [];
  #lastId = 0;
  isClosed = false;

  constructor({ baseUrl, locate, token }: EditorChannelOptions, isLost: boolean) {
    this.#url = webSocketUrl(baseUrl);
    void locate({ isLost }).then((found) => {
      if (this.isClosed) return;
      this.#url = webSocketUrl(found);
      this.#socket = this.#open(this.#url, token);
    });
  }

  request(type: WebSocketRequestType, body: object): Promise<unknown> {
    const id = ++this.#lastId;
    const promise = new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
    const text = JSON.stringify({ id, type, ...body });
    if (this.#waiting === undefined) this.#socket?.send(text);
    else this.#waiting.push(text);
    return promise;
  }

  close(): void {
    this.#fail(TrellisError.connectionFailed(this.#url, new Error('the channel was closed')));
    this.#socket?.close();
  }

  #open(url: URL, token: EditorChannelOptions['token']): WebSocket {
    const socket = new WebSocket(url);
    socket.addEventListener('open', () => socket.send(JSON.stringify({ token: token() ?? '' })));
    socket.addEventListener('message', ({ data }) => this.#receive(String(data)));
    socket.addEventListener('close', ({ code, reason }) => {
      this.#fail(closedWith(url, code, reason));
    });
    return socket;
  }

  #receive(text: string): void {
    const message = parsed(text);
    if (message === undefined) {
      this.#fail(TrellisError.unexpectedMessage(this.#url, text));
      this.#socket?.close();
      return;
    }
    if (message.id === undefined) {
      // The first of the messages that are no answers says that the token was taken.
      for (const request of this.#waiting ?? []) this.#socket?.send(request);
      this.#waiting = undefined;
      return;
    }
    const id = message.id ?? 0;
    const request = this.#pending.get(id);
    this.#pending.delete(id);
    if (message.error === undefined) request?.resolve(message.result);
    else request?.reject(refusal(message.error, message.traceId));
  }

  #fail(error: TrellisError): void {
    this.isClosed = true;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}

interface ReceivedMessage {
  /** Absent from what is no answer. */
  readonly id?: number | null;
  readonly result?: unknown;
  readonly error?: Refusal;
  readonly traceId?: string;
}

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Undefined for what this service does not send. */
function parsed(text: string): ReceivedMessage | undefined {
  try {
    const message: unknown = JSON.parse(text);
    return typeof message === 'object' ? (message ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}

/** The connection did come about: there is no status of HTTP. */
function refusal({ message, ...rest }: Refusal, traceId: string | undefined): TrellisError {
  return new TrellisError(message, { status: 0, ...rest, traceId });
}

/**
 * The reason of a close begins with a code of the catalogue, where the server closed and one fits.
 */
function closedWith(url: URL, code: number, reason: string): TrellisError {
  const [, errorCode, message] = /^([a-z]+(?:_[a-z]+)*): (.+)$/.exec(reason) ?? [];
  return errorCode === undefined || message === undefined
    ? TrellisError.connectionFailed(url, new Error(`the WebSocket closed with ${code} ${reason}`))
    : new TrellisError(message, { status: 0, code: errorCode });
}
