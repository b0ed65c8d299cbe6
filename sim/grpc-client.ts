import { CallStream } from './connection.ts';
import type { CallStatus, ClientEnd, Connection } from './connection.ts';
import type { SimulatedNetwork } from './network.ts';
import type { SimulatedProcess } from './process.ts';
import { ResponseStream } from './response-stream.ts';
import { findProcess } from './addresses.ts';
import { CallError, status } from './grpc-values.ts';
import type { Metadata } from './grpc-values.ts';

type Serialize<T> = (value: T) => Uint8Array;
type Deserialize<T> = (bytes: Buffer) => T;

/** Before a stream asks its writer to wait. */
const WRITES_WAITING_MAX = 4;

interface Waiting {
  readonly begin: (connection: Connection) => void;
  readonly fail: (status: CallStatus) => void;
}

/**
 * The client of gRPC as far as the channel of replication uses it, over a simulated network: one
 * connection, made when it is needed; what fails is told at once and not repeated.
 */
export class Client {
  readonly #network: SimulatedNetwork;
  readonly #process: SimulatedProcess;
  readonly #host: string;
  readonly #release: () => void;
  #connection: Connection | undefined;
  #waiting: Waiting[] = [];

  constructor(address: string) {
    const { network, process, host } = findProcess(address);
    this.#network = network;
    this.#process = process;
    this.#host = host;
    this.#release = process.onEnded(() => this.close());
  }

  makeUnaryRequest<Request, Response>(
    path: string,
    serialize: Serialize<Request>,
    deserialize: Deserialize<Response>,
    request: Request,
    metadata: Metadata,
    _options: object,
    done: (error: Error | null, reply?: Response) => void,
  ): { cancel: () => void } {
    let isOver = false;
    const end = (error: Error | null, reply?: Response): void => {
      if (isOver) return;
      isOver = true;
      done(error, reply);
    };
    const client: ClientEnd = {
      isTaking: () => true,
      onMessage: (bytes) => {
        try {
          end(null, deserialize(Buffer.from(bytes)));
        } catch (error) {
          end(new CallError({ code: status.INTERNAL, details: String(error) }));
        }
      },
      onEnded: (ended) => end(new CallError(ended)),
    };
    const call = this.#begin(path, metadata, client, serialize(request));
    return {
      cancel: () => {
        call.cancel();
        end(new CallError({ code: status.CANCELLED, details: 'Cancelled on client' }));
      },
    };
  }

  makeServerStreamRequest<Request, Response>(
    path: string,
    serialize: Serialize<Request>,
    deserialize: Deserialize<Response>,
    request: Request,
    metadata: Metadata,
  ): ResponseStream<Response> {
    const responses = new ResponseStream(
      deserialize,
      () => call.cancel(),
      () => call.resume(),
    );
    const call = this.#begin(path, metadata, responses, serialize(request));
    return responses;
  }

  makeClientStreamRequest<Request, Response>(
    path: string,
    serialize: Serialize<Request>,
    deserialize: Deserialize<Response>,
    metadata: Metadata,
    _options: object,
    done: (error: Error | null, reply?: Response) => void,
  ): { readonly writableNeedDrain: boolean; write: (value: Request) => void; cancel: () => void } {
    let isOver = false;
    const end = (error: Error | null, reply?: Response): void => {
      if (isOver) return;
      isOver = true;
      done(error, reply);
    };
    const call = this.#begin(path, metadata, {
      isTaking: () => true,
      onMessage: (bytes) => end(null, deserialize(Buffer.from(bytes))),
      onEnded: (ended) => end(new CallError(ended)),
    });
    return {
      get writableNeedDrain() {
        return call.unsent() > WRITES_WAITING_MAX;
      },
      write: (value) => call.write(serialize(value)),
      cancel: () => {
        call.cancel();
        end(new CallError({ code: status.CANCELLED, details: 'Cancelled on client' }));
      },
    };
  }

  close(): void {
    this.#release();
    const closed = { code: status.UNAVAILABLE, details: 'Channel has been shut down' };
    for (const { fail } of this.#waiting.splice(0)) fail(closed);
    this.#connection?.close('client');
    this.#connection = undefined;
  }

  #begin(path: string, metadata: Metadata, client: ClientEnd, request?: Uint8Array) {
    let stream: CallStream | undefined;
    let isCancelled = false;
    const unsent: Uint8Array[] = request === undefined ? [] : [request];
    this.#onConnected({
      begin: (connection) => {
        if (isCancelled) return;
        stream = new CallStream(connection, { path, metadata: metadata.values }, client);
        stream.begin(connection.answer);
        for (const bytes of unsent.splice(0)) stream.sendToServer(bytes);
      },
      fail: (failed) => {
        if (!isCancelled) client.onEnded(failed);
      },
    });
    return {
      write: (bytes: Uint8Array): void => {
        if (stream === undefined) unsent.push(bytes);
        else stream.sendToServer(bytes);
      },
      unsent: (): number => unsent.length + (stream?.unsent ?? 0),
      resume: (): void => stream?.resume(),
      cancel: (): void => {
        if (isCancelled) return;
        isCancelled = true;
        stream?.cancel();
      },
    };
  }

  #onConnected(waiting: Waiting): void {
    const connection = this.#connection;
    if (connection !== undefined && !connection.isLostFor('client')) {
      waiting.begin(connection);
      return;
    }
    const unavailable = { code: status.UNAVAILABLE, details: 'No connection established' };
    if (!this.#process.isAlive) {
      queueMicrotask(() => waiting.fail(unavailable));
      return;
    }
    this.#waiting.push(waiting);
    if (this.#waiting.length > 1) return;
    this.#network.connect(
      this.#process,
      this.#host,
      (opened) => {
        this.#connection = opened;
        for (const { begin } of this.#waiting.splice(0)) begin(opened);
      },
      () => {
        for (const { fail } of this.#waiting.splice(0)) fail(unavailable);
      },
    );
  }
}
