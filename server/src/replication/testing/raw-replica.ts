import { randomBytes } from 'node:crypto';
import { connect } from 'node:http2';
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import { decodeFrame, encodeFrame, type Frame, FrameOpener, FrameSealer } from '../frame.ts';
import { loadMethods, METADATA } from '../service-definition.ts';
import type { AuthenticateReply, Method } from '../service-definition.ts';
import { HANDSHAKE_CALL, NONCE_BYTES, SessionKeys } from '../session-keys.ts';
import type { CallName } from '../session-keys.ts';
import { REPLICA_UID, SECRET } from './cluster.ts';

/** How a call ended: gRPC's status, what it said, and the first message that was answered. */
export interface RawAnswer {
  readonly status: number;
  readonly details: string;
  readonly message: Buffer | undefined;
}

export interface RawSession {
  readonly keys: SessionKeys;
  readonly id: Uint8Array;
}

/** The bytes of a call, which can be sent again as they are. */
export interface RawCall {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const methods = loadMethods();

/** Speaks gRPC over bare HTTP/2, so that a test can send what no replica of ours would. */
export class RawReplica implements Disposable {
  readonly http: ClientHttp2Session;

  constructor(port: number) {
    this.http = connect(`http://127.0.0.1:${port}`);
    // What becomes of the calls is what tests look at.
    this.http.on('error', () => {});
  }

  /** The recorded bytes of both halves of a handshake are `challenge` and `authenticate`. */
  async handshake(
    secret: Uint8Array = SECRET,
    replicaUID = REPLICA_UID,
  ): Promise<RawSession & { readonly authenticate: RawCall; readonly answer: RawAnswer }> {
    const replicaNonce = randomBytes(NONCE_BYTES);
    const request = methods.Challenge.requestSerialize({
      replicaUid: replicaUID,
      nonce: replicaNonce,
    });
    const challenged = await this.send(callOf(methods.Challenge, {}, request));
    if (challenged.message === undefined) throw new Error(challenged.details);
    const { session: id, nonce } = methods.Challenge.responseDeserialize(challenged.message);
    const keys = new SessionKeys(secret, {
      replicaUID,
      session: id,
      replicaNonce,
      primaryNonce: nonce,
    });
    const hello = this.seal(keys, HANDSHAKE_CALL, { name: 'raw', version: '1' });
    const proof = keys.handshakeProof('replica');
    const authenticate = callOf(
      methods.Authenticate,
      {},
      methods.Authenticate.requestSerialize({ session: id, proof, hello }),
    );
    return { keys, id, authenticate, answer: await this.send(authenticate) };
  }

  /** A call as a replica of ours makes it, where nothing else is given. */
  call(
    { keys, id }: RawSession,
    name: CallName & {
      readonly method: 'GetManifest' | 'GetPieces' | 'Follow' | 'Report' | 'Notify';
    },
    request: unknown,
    proof: Uint8Array = keys.callProof(name),
  ): RawCall {
    const headers = {
      [METADATA.session]: Buffer.from(id).toString('hex'),
      [METADATA.call]: String(name.number),
      [METADATA.proof]: Buffer.from(proof).toString('hex'),
    };
    const frame = encodeFrame(this.seal(keys, name, request));
    return { path: methods[name.method].path, headers, body: framed(frame) };
  }

  /** Sends all of a call, and resolves when it has ended or its first message is there. */
  async send({ path, headers, body }: RawCall): Promise<RawAnswer> {
    const stream = this.open(path, headers);
    stream.end(body);
    return readAnswer(stream);
  }

  open(path: string, headers: Readonly<Record<string, string>> = {}): ClientHttp2Stream {
    const stream = this.http.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...headers,
    });
    stream.on('error', () => {});
    return stream;
  }

  /** What an answer of the primary holds. */
  read({ keys }: RawSession, name: CallName, { message }: RawAnswer): Buffer {
    if (message === undefined) throw new Error('there is no message');
    return new FrameOpener(keys.frameKey('primary', name)).open(decodeFrame(message));
  }

  readAuthenticated({ message }: RawAnswer): AuthenticateReply | undefined {
    return message === undefined ? undefined : methods.Authenticate.responseDeserialize(message);
  }

  seal(keys: SessionKeys, name: CallName, value: unknown): Frame {
    const sealer = new FrameSealer(keys.frameKey('replica', name));
    return sealer.seal([Buffer.from(JSON.stringify(value))], true);
  }

  [Symbol.dispose](): void {
    this.http.destroy();
  }
}

/** gRPC's framing of one message: not compressed, and its length. */
export function framed(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

function callOf<Request, Response>(
  { path }: Method<Request, Response>,
  headers: Readonly<Record<string, string>>,
  message: Uint8Array,
): RawCall {
  return { path, headers, body: framed(message) };
}

async function readAnswer(stream: ClientHttp2Stream): Promise<RawAnswer> {
  let status = -1;
  let details = '';
  const readStatus = (headers: Readonly<Record<string, unknown>>): void => {
    if (headers['grpc-status'] === undefined) return;
    status = Number(headers['grpc-status']);
    details = decodeURI(String(headers['grpc-message'] ?? ''));
  };
  stream.on('response', readStatus);
  stream.on('trailers', readStatus);
  let bytes = Buffer.alloc(0);
  const answered = new Promise<void>((resolve) => {
    stream.on('data', (part: Buffer) => {
      bytes = Buffer.concat([bytes, part]);
      if (bytes.length >= 5 && bytes.length >= 5 + bytes.readUInt32BE(1)) resolve();
    });
    stream.on('close', resolve);
  });
  await answered;
  // A unary answer is followed by its status at once; a stream stays open.
  const message = bytes.length < 5 ? undefined : bytes.subarray(5, 5 + bytes.readUInt32BE(1));
  return { status, details, message };
}
