import type { Logger } from '#observe/logger.ts';
import type { Telemetry } from '#observe/telemetry/telemetry.ts';

export interface HttpServerOptions {
  readonly logger: Logger;
  /** `MSK_CORS`. */
  readonly corsOrigins: readonly string[];
  /** `MSK_USE_HSTS` and `MSK_REDIRECT_TO_HTTPS`. */
  readonly useHsts: boolean;
  readonly redirectToHttps: boolean;
  /** `MSK_TRUSTED_PROXIES`: the proxies that may say who the client is. */
  readonly trustedProxies: readonly string[];
  /** The address to which a replica redirects what it may not do; null on a primary. */
  readonly primaryAddress: string | null;
  /** Makes a request id that cannot be guessed: a UUID, unless a test gives its own. */
  readonly newRequestId?: () => string;
  /** The limits of `base/limits.ts` unless a test cannot wait for them. */
  readonly timeouts?: Partial<HttpTimeouts>;
  readonly webSocketsMax?: number;
  readonly webSocketStrangersMax?: { readonly ofAddress: number; readonly ofAll: number };
  /** Undefined when telemetry is off. */
  readonly telemetry?: Telemetry | undefined;
}

/** In milliseconds; each is the constant of the same name. */
export interface HttpTimeouts {
  readonly headers: number;
  readonly request: number;
  readonly strangerBody: number;
  readonly streamIdle: number;
  readonly linger: number;
  readonly minSequenceWait: number;
  readonly silentConnection: number;
  readonly stopGrace: number;
  readonly webSocketSignIn: number;
  readonly webSocketPing: number;
  readonly webSocketSessionCheck: number;
  readonly eventStreamHeartbeat: number;
  readonly answerUnread: number;
}
