/**
 * Who asks: made by `identity` from a token, once a request; every decision about access is made
 * against it.
 */
export interface Caller {
  readonly kind: CallerKind;
  /** The user this caller acts as; null for a system-scoped token. */
  readonly userUid: string | null;
  readonly userName: string | null;
  readonly isAdmin: boolean;
  readonly isReadOnlyAdmin: boolean;
  readonly isGuest: boolean;
  readonly roles: readonly string[];
  /** The scopes of a token that carries some (specification, section 2.2). */
  readonly scopes: readonly string[];
  /**
   * For an endpoint token the full path or prefix it may call, empty for all (specification,
   * section 2.3); else null.
   */
  readonly endpointPath: string | null;
  /** Identifies the session or token: for revocation and throttling. */
  readonly tokenId: string;
  /** URL of the only MCP server that takes the token, where a user has granted it to a client. */
  readonly resource?: string;
}

/** The server itself: it sees everything, and is no user. */
export function serverCaller(tokenId: string): Caller {
  return {
    kind: 'session',
    userUid: null,
    userName: null,
    isAdmin: true,
    isReadOnlyAdmin: false,
    isGuest: false,
    roles: [],
    scopes: [],
    endpointPath: null,
    tokenId,
  };
}

/**
 * A session of a user, or one of the kinds of tokens that an administrator mints (specification,
 * section 2.1).
 */
export type CallerKind =
  | 'session'
  | 'api'
  | 'endpoint'
  | 'llm-openai'
  | 'llm-anthropic'
  | 'connector'
  | 'automation'
  | 'interface'
  | 'mcp';

/**
 * The key of the budget that a caller's work counts against: the user, whichever token they use; or
 * the token, when it acts as nobody.
 */
export function budgetKey({ userUid, tokenId }: Caller): string {
  return userUid ?? tokenId;
}
