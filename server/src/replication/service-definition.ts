import { join } from 'node:path';
import { loadSync, type ServiceDefinition as LoadedService } from '@grpc/proto-loader';
import { AssertionError, must } from '#base/assert.ts';
import type { Frame } from './frame.ts';

const SERVICE = 'trellis.replication.v1.Replication';

export interface ChallengeRequest {
  readonly replicaUid: string;
  readonly nonce: Uint8Array;
}

export interface ChallengeReply {
  readonly session: Uint8Array;
  readonly nonce: Uint8Array;
}

export interface AuthenticateRequest {
  readonly session: Uint8Array;
  readonly proof: Uint8Array;
  readonly hello: Frame;
}

export interface AuthenticateReply {
  readonly proof: Uint8Array;
  readonly welcome: Frame;
}

export type Nothing = Readonly<Record<string, never>>;

/** One method of the service, as client and server of gRPC both take it. */
export interface Method<Request, Response> {
  readonly path: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  readonly requestSerialize: (value: Request) => Buffer;
  readonly requestDeserialize: (bytes: Buffer) => Request;
  readonly responseSerialize: (value: Response) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => Response;
}

export interface ReplicationMethods {
  readonly Challenge: Method<ChallengeRequest, ChallengeReply>;
  readonly Authenticate: Method<AuthenticateRequest, AuthenticateReply>;
  readonly GetManifest: Method<Buffer, Buffer>;
  readonly GetPieces: Method<Buffer, Buffer>;
  readonly Follow: Method<Buffer, Buffer>;
  readonly Report: Method<Buffer, Nothing>;
  readonly Hold: Method<Buffer, Buffer>;
  readonly Compared: Method<Buffer, Buffer>;
  readonly GetFrontEnd: Method<Buffer, Buffer>;
  readonly Embed: Method<Buffer, Buffer>;
  readonly Notify: Method<Buffer, Buffer>;
}

/** Reads `replication.proto`, which lies beside this file. */
export function loadMethods(): ReplicationMethods {
  const loaded = loadSync(join(import.meta.dirname, 'replication.proto'), { defaults: true });
  const service = must(loaded[SERVICE], SERVICE);
  if (!isService(service)) throw new AssertionError(`${SERVICE} is not a service`);
  return {
    Challenge: methodOf(service, 'Challenge', challengeRequest, challengeReply),
    Authenticate: methodOf(service, 'Authenticate', authenticateRequest, authenticateReply),
    GetManifest: framesOf(service, 'GetManifest'),
    GetPieces: framesOf(service, 'GetPieces'),
    Follow: framesOf(service, 'Follow'),
    Report: {
      ...methodOf(service, 'Report', frame, () => ({})),
      requestSerialize: (bytes) => bytes,
      requestDeserialize: (bytes) => bytes,
    },
    Hold: framesOf(service, 'Hold'),
    Compared: framesOf(service, 'Compared'),
    GetFrontEnd: framesOf(service, 'GetFrontEnd'),
    Embed: framesOf(service, 'Embed'),
    Notify: framesOf(service, 'Notify'),
  };
}

/**
 * Encoded frames are handed to gRPC and taken from it, so that their memory can be released: see
 * `frame.ts`.
 */
function framesOf(service: LoadedService, name: string): Method<Buffer, Buffer> {
  const { path, requestStream, responseStream } = must(service[name], `method ${name}`);
  return {
    path,
    requestStream,
    responseStream,
    requestSerialize: (bytes) => bytes,
    requestDeserialize: (bytes) => bytes,
    responseSerialize: (bytes) => bytes,
    responseDeserialize: (bytes) => bytes,
  };
}

function isService(loaded: object): loaded is LoadedService {
  return !('format' in loaded);
}

/**
 * What a decoded message is, checked: fields by name, those that were not sent with their default.
 */
type Read<T> = (message: object) => T;

function methodOf<Request extends object, Response extends object>(
  service: LoadedService,
  name: string,
  readRequest: Read<Request>,
  readResponse: Read<Response>,
): Method<Request, Response> {
  const method = must(service[name], `method ${name}`);
  return {
    path: method.path,
    requestStream: method.requestStream,
    responseStream: method.responseStream,
    requestSerialize: method.requestSerialize,
    requestDeserialize: (bytes) => readRequest(method.requestDeserialize(bytes)),
    responseSerialize: method.responseSerialize,
    responseDeserialize: (bytes) => readResponse(method.responseDeserialize(bytes)),
  };
}

function challengeRequest(message: object): ChallengeRequest {
  const replicaUid: unknown = Reflect.get(message, 'replicaUid');
  return { replicaUid: String(replicaUid), nonce: bytesOf(message, 'nonce') };
}

function challengeReply(message: object): ChallengeReply {
  return { session: bytesOf(message, 'session'), nonce: bytesOf(message, 'nonce') };
}

function authenticateRequest(message: object): AuthenticateRequest {
  return {
    session: bytesOf(message, 'session'),
    proof: bytesOf(message, 'proof'),
    hello: frameOf(message, 'hello'),
  };
}

function authenticateReply(message: object): AuthenticateReply {
  return { proof: bytesOf(message, 'proof'), welcome: frameOf(message, 'welcome') };
}

function frame(message: object): Frame {
  return {
    ciphertext: bytesOf(message, 'ciphertext'),
    tag: bytesOf(message, 'tag'),
    last: Reflect.get(message, 'last') === true,
  };
}

function frameOf(message: object, field: string): Frame {
  const value: unknown = Reflect.get(message, field);
  return frame(typeof value === 'object' && value !== null ? value : {});
}

function bytesOf(message: object, field: string): Uint8Array {
  const value: unknown = Reflect.get(message, field);
  return value instanceof Uint8Array ? value : new Uint8Array(0);
}

/** The keys of what every call of a session carries; see `replication.proto`. */
export const METADATA = {
  session: 'trellis-session',
  call: 'trellis-call',
  proof: 'trellis-proof',
} as const;
