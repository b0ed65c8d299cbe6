import { findProcess } from './addresses.ts';
import type { AnswerCall, CallStatus, CallStream, ServerEnd } from './connection.ts';
import { Metadata, status } from './grpc-values.ts';
import type { SimulatedNetwork } from './network.ts';
import type { SimulatedProcess } from './process.ts';

/** One method as `addService` takes it. */
interface Method {
  readonly path: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  readonly requestDeserialize: (bytes: Buffer) => unknown;
  readonly responseSerialize: (value: unknown) => Uint8Array;
}

type Handler = (call: object, done: (error: CallStatus | null, reply?: unknown) => void) => void;

/** The server of gRPC as far as the channel of replication uses it, over a simulated network. */
export class Server {
  readonly #methods = new Map<string, { readonly method: Method; readonly handler: Handler }>();
  #bound: { readonly network: SimulatedNetwork; readonly process: SimulatedProcess } | undefined;
  #close = (): void => {};

  addService(
    methods: Readonly<Record<string, Method>>,
    handlers: Readonly<Record<string, Handler>>,
  ): void {
    for (const [name, method] of Object.entries(methods)) {
      const handler = handlers[name];
      if (handler !== undefined) this.#methods.set(method.path, { method, handler });
    }
  }

  bindAsync(
    address: string,
    _credentials: object,
    done: (error: Error | null, port: number) => void,
  ): void {
    const bound = findProcess(address);
    this.#bound = bound;
    const answer: AnswerCall = (stream) => this.#answer(stream);
    this.#close = bound.network.listen(bound.process, answer);
    done(null, 42_999);
  }

  forceShutdown(): void {
    this.#close();
    this.#bound?.network.closeAll(this.#bound.process);
  }

  #answer(stream: CallStream): ServerEnd | undefined {
    const found = this.#methods.get(stream.path);
    if (found === undefined) {
      stream.end({ code: status.INTERNAL, details: 'no such method' });
      return undefined;
    }
    const { method, handler } = found;
    const call = new ServerCall(stream, method);
    if (method.requestStream) {
      handler(call, (error, reply) => call.reply(error, reply));
      return call;
    }
    return {
      onCancelled: () => call.onCancelled(),
      onMessage: (bytes) => {
        if (call.request !== undefined) return;
        try {
          call.request = method.requestDeserialize(Buffer.from(bytes));
        } catch (error) {
          stream.end({ code: status.INTERNAL, details: String(error) });
          return;
        }
        handler(call, (error, reply) => call.reply(error, reply));
      },
    };
  }
}

/** All kinds of calls of a server in one. */
class ServerCall implements ServerEnd, AsyncIterable<unknown> {
  readonly metadata: Metadata;
  request: unknown;
  readonly #stream: CallStream;
  readonly #method: Method;
  readonly #messages: unknown[] = [];
  readonly #onCancelled = new Set<() => void>();
  #failed: Error | undefined;
  #waiter: PromiseWithResolvers<void> | undefined;

  constructor(stream: CallStream, method: Method) {
    this.#stream = stream;
    this.#method = method;
    this.metadata = new Metadata(stream.metadata);
  }

  getPeer(): string {
    return this.#stream.connection.client.name;
  }

  once(_event: 'cancelled', listener: () => void): void {
    this.#onCancelled.add(listener);
  }

  write(value: unknown, onSent: () => void): boolean {
    this.#stream.sendToClient(this.#method.responseSerialize(value), onSent);
    return true;
  }

  end(): void {
    this.#stream.end({ code: status.OK, details: '' });
  }

  emit(_event: 'error', failed: CallStatus): void {
    this.#stream.end(failed);
  }

  reply(error: CallStatus | null, value: unknown): void {
    if (error !== null) {
      this.#stream.end(error);
      return;
    }
    this.#stream.sendToClient(this.#method.responseSerialize(value), () => {});
    this.end();
  }

  onMessage(bytes: Uint8Array): void {
    try {
      this.#messages.push(this.#method.requestDeserialize(Buffer.from(bytes)));
    } catch (error) {
      this.#stream.end({ code: status.INTERNAL, details: String(error) });
      this.#failed = new Error('Premature close');
    }
    this.#wake();
  }

  onCancelled(): void {
    for (const listener of this.#onCancelled) listener();
    this.destroy(new Error('Premature close'));
  }

  /** The iteration throws the reason; the first one counts. */
  destroy(reason: Error): void {
    this.#failed ??= reason;
    this.#messages.length = 0;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown, void, void> {
    for (;;) {
      const message = this.#messages.shift();
      if (message !== undefined) {
        yield message;
      } else if (this.#failed === undefined) {
        this.#waiter = Promise.withResolvers();
        await this.#waiter.promise;
      } else {
        throw this.#failed;
      }
    }
  }

  #wake(): void {
    this.#waiter?.resolve();
    this.#waiter = undefined;
  }
}
