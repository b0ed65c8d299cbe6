/** Who asks: made by `identity` from a token, once a request; every decision about access is made against it. */
export interface Caller {
  readonly kind: 'session' | 'api' | 'endpoint';
  /** The user this caller acts as; null for a system-scoped token. */
  readonly userUid: string | null;
  readonly userName: string | null;
  readonly isAdmin: boolean;
  readonly isReadOnlyAdmin: boolean;
  readonly isGuest: boolean;
  readonly roles: readonly string[];
  /** Of an API token (specification, section 2.2). */
  readonly scopes: readonly string[];
  /** Identifies the session or token: for revocation and throttling. */
  readonly tokenId: string;
}
