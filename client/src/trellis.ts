/**
 * The package for those who install it: the client of a workspace, its errors and its types. This
 * is the one module that names again what others have.
 */
import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import type { IssuedSession } from '@trellis/contract/shapes/sso.ts';
import type {
  AnyEndpoints,
  EndpointArguments,
  EndpointName,
  EndpointOutput,
} from './endpoint-types.ts';
import type { RunOptions } from './methods/endpoint-runs.ts';
import type { CallOptions } from './transport.ts';
import { TrellisClient } from './trellis-client.ts';
import { TrellisError } from './trellis-error.ts';

export { chatMarkdown, type ChatMarkdownOptions } from './chat-markdown.ts';
export type { ChatEvent, WatchedChatEvent } from './methods/chat.ts';
export type { RunOptions, RunningEndpoint } from './methods/endpoint-runs.ts';
export type { CallOptions, RetryLimits, TransportOptions } from './transport.ts';
export { TrellisError, type TrellisErrorCode } from './trellis-error.ts';
export { nodeUid } from './uid.ts';
export type { NodeObject };

/**
 * What is known of the workspace. A module of `trellis types --program` adds its endpoints, as long
 * as it is among the sources of a program:
 *
 * ```ts
 * declare module '@trellis/client' {
 *   interface Register {
 *     readonly endpoints: Endpoints;
 *   }
 * }
 * ```
 */
export interface Register {}

/** The endpoints of the workspace; any, where nothing is known of it. */
export type RegisteredEndpoints = Register extends { readonly endpoints: infer Endpoints }
  ? Endpoints
  : AnyEndpoints;

/**
 * A workspace, as a program uses it: signs in, and runs its endpoints with their types. Beside
 * these it has each operation of the API, as every `TrellisClient`, which also serves programs that
 * speak to any workspace.
 *
 * ```ts
 * const trellis = new Trellis({ baseUrl: 'https://graph.example.org' });
 * await trellis.signIn('ann', password);
 * const books = await trellis.run('books/by-author', { author: 'Le Guin' });
 * ```
 *
 * `Endpoints` is given by who speaks to several workspaces: `new Trellis<Endpoints>(...)`.
 */
export class Trellis<Endpoints = RegisteredEndpoints> extends TrellisClient {
  /** Signs in by password; from then on calls are those of this user. */
  async signIn(user: string, password: string, options?: CallOptions): Promise<IssuedSession> {
    const session = await this.login.create({ user, password }, options);
    this.token = session.token;
    return session;
  }

  /** Ends the session; nothing happens when it has ended, or there is none. */
  async signOut(options?: CallOptions): Promise<void> {
    const { token } = this;
    if (token === undefined) return;
    try {
      await this.login.end(options);
    } catch (error) {
      if (!(error instanceof TrellisError && error.code === 'invalid_token')) throw error;
    } finally {
      if (this.token === token) this.token = undefined;
    }
  }

  /** Runs an endpoint, and waits for what it answers, also when it takes long. */
  run<Name extends EndpointName<Endpoints>>(
    name: Name,
    ...[body, options]: EndpointArguments<Endpoints, Name, RunOptions>
  ): Promise<EndpointOutput<Endpoints, Name>> {
    return this.endpoints.run(name, body, options);
  }
}
