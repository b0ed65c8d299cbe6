import { randomBytes } from 'node:crypto';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import {
  REPLICATION_FRAME_BYTES_MAX,
  REPLICATION_HANDSHAKE_TIMEOUT_MS,
  REPLICATION_KEEPALIVE_MS,
  REPLICATION_KEEPALIVE_TIMEOUT_MS,
  REPLICATION_WINDOW_BYTES,
} from '#base/replication-limits.ts';
import { corrupt, notAuthenticated, problemOf, unavailable } from './channel-problem.ts';
import { FrameOpener, FrameSealer } from './frame.ts';
import { encodeJson, joinParts, receiveMessages, sealFrame } from './frame-stream.ts';
import { readWelcome } from './message-shapes.ts';
import type { Hello, Welcome } from './message-shapes.ts';
import { loadMethods, METADATA } from './service-definition.ts';
import type { Method, ReplicationMethods } from './service-definition.ts';
import { HANDSHAKE_CALL, isSameProof, NONCE_BYTES, SessionKeys } from './session-keys.ts';

export interface ReplicaConnection {
  readonly host: string;
  readonly port: number;
  /** From `deriveReplicationSecret`. */
  readonly secret: Uint8Array;
  readonly replicaUID: string;
  readonly hello: Hello;
}

/** The methods that are answered with messages. */
type AnsweredMethod = Exclude<keyof ReplicationMethods, 'Challenge' | 'Authenticate' | 'Report'>;

/** The calls of one session, from the replica's end. */
export class ReplicaCalls implements Disposable {
  readonly #client: Client;
  readonly #methods: ReplicationMethods = loadMethods();
  readonly #closing = new AbortController();
  #session: { readonly id: string; readonly keys: SessionKeys } | undefined;
  #lastCall = 0;

  constructor(host: string, port: number) {
    const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    this.#client = new Client(address, credentials.createInsecure(), {
      'grpc.max_receive_message_length': 2 * REPLICATION_FRAME_BYTES_MAX,
      'grpc-node.flow_control_window': REPLICATION_WINDOW_BYTES,
      'grpc.keepalive_time_ms': REPLICATION_KEEPALIVE_MS,
      'grpc.keepalive_timeout_ms': REPLICATION_KEEPALIVE_TIMEOUT_MS,
      // A connection of its own, straight to the primary; what failed is told at once and not
      // repeated.
      'grpc.use_local_subchannel_pool': 1,
      'grpc.enable_http_proxy': 0,
      'grpc.enable_retries': 0,
      'grpc.service_config_disable_resolution': 1,
    });
  }

  /** Opens the session; see `connectReplica` for what it throws. */
  async handshake({ secret, replicaUID, hello }: ReplicaConnection): Promise<Welcome> {
    const { Challenge, Authenticate } = this.#methods;
    const replicaNonce = randomBytes(NONCE_BYTES);
    const request = { replicaUid: replicaUID, nonce: replicaNonce };
    const { session, nonce: primaryNonce } = await this.#ask(Challenge, request);
    const keys = new SessionKeys(secret, { replicaUID, session, replicaNonce, primaryNonce });
    const sealer = new FrameSealer(keys.frameKey('replica', HANDSHAKE_CALL));
    const { proof, welcome } = await this.#ask(Authenticate, {
      session,
      proof: keys.handshakeProof('replica'),
      hello: sealer.seal([encodeJson(hello)], true),
    });
    if (!isSameProof(keys.handshakeProof('primary'), proof)) throw notAuthenticated();
    this.#session = { id: Buffer.from(session).toString('hex'), keys };
    const opener = new FrameOpener(keys.frameKey('primary', HANDSHAKE_CALL));
    return readWelcome(opener.open(welcome));
  }

  /**
   * The messages that the primary answers a request with. They are read no further ahead than gRPC
   * buffers: 16 frames and the window of the connection. Ends the call when the iteration ends or
   * `signal` is aborted, whose reason it then throws.
   */
  async *messages(
    method: AnsweredMethod,
    request: Uint8Array,
    signal?: AbortSignal,
  ): AsyncGenerator<Buffer, void, void> {
    for await (const parts of this.messageParts(method, request, signal)) yield joinParts(parts);
  }

  /** The same, each message in the parts in which it came; whoever takes one may release them. */
  async *messageParts(
    method: AnsweredMethod,
    request: Uint8Array,
    signal?: AbortSignal,
  ): AsyncGenerator<readonly Buffer[], void, void> {
    const ending = AbortSignal.any([
      this.#closing.signal,
      ...(signal === undefined ? [] : [signal]),
    ]);
    ending.throwIfAborted();
    const { path, requestSerialize, responseDeserialize } = this.#methods[method];
    const { metadata, sealer, opener } = this.#begin(method);
    const frame = sealFrame(sealer, [request], true);
    const call = this.#client.makeServerStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      frame,
      metadata,
    );
    // The iteration throws it; the status of a cancelled call comes when nobody iterates any more.
    call.on('error', () => {});
    const cancel = (): void => call.cancel();
    ending.addEventListener('abort', cancel, { once: true });
    try {
      yield* receiveMessages(call, opener);
    } catch (error) {
      ending.throwIfAborted();
      throw problemOf(error);
    } finally {
      ending.removeEventListener('abort', cancel);
      call.cancel();
    }
  }

  /**
   * Sends reports until it is disposed; `onFailed` hears when the primary takes no more of them.
   */
  openReports(onFailed: (problem: Error) => void): ReportStream {
    this.#closing.signal.throwIfAborted();
    const { path, requestSerialize, responseDeserialize } = this.#methods.Report;
    const { metadata, sealer } = this.#begin('Report');
    let isOpen = true;
    const call = this.#client.makeClientStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      metadata,
      {},
      (error) => {
        if (isOpen) onFailed(problemOf(error ?? new Error('the primary ended the reports')));
        isOpen = false;
      },
    );
    const close = (): void => {
      isOpen = false;
      this.#closing.signal.removeEventListener('abort', close);
      call.cancel();
    };
    this.#closing.signal.addEventListener('abort', close);
    return {
      send: (sequence) => {
        if (!isOpen || call.writableNeedDrain) return false;
        call.write(sealFrame(sealer, [encodeJson({ sequence })], true));
        return true;
      },
      [Symbol.dispose]: close,
    };
  }

  [Symbol.dispose](): void {
    this.#closing.abort(unavailable('the replica closed the channel'));
    this.#client.close();
  }

  #begin(method: keyof ReplicationMethods) {
    if (this.#session === undefined) throw corrupt('a call came before the handshake');
    const { id, keys } = this.#session;
    const name = { method, number: ++this.#lastCall };
    const metadata = new Metadata();
    metadata.set(METADATA.session, id);
    metadata.set(METADATA.call, String(name.number));
    metadata.set(METADATA.proof, keys.callProof(name).toString('hex'));
    return {
      metadata,
      sealer: new FrameSealer(keys.frameKey('replica', name)),
      opener: new FrameOpener(keys.frameKey('primary', name)),
    };
  }

  #ask<Request, Response>(method: Method<Request, Response>, request: Request): Promise<Response> {
    const { path, requestSerialize, responseDeserialize } = method;
    return new Promise((resolve, reject) => {
      const call = this.#client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        new Metadata(),
        {},
        (error, reply) => {
          clearTimeout(timer);
          if (error !== null) reject(problemOf(error));
          else if (reply === undefined) reject(corrupt('an answer is empty'));
          else resolve(reply);
        },
      );
      const timer = setTimeout(() => call.cancel(), REPLICATION_HANDSHAKE_TIMEOUT_MS);
    });
  }
}

export interface ReportStream extends Disposable {
  /**
   * Whether it is on its way. Only the newest report counts, so one that would have to wait is not
   * sent.
   */
  send(sequence: number): boolean;
}
