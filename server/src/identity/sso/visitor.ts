import type { IssuedSession } from '../session-tokens.ts';

/** The browser or program at the other end. */
export interface Visitor {
  /** The secret of its cookie, when it brings one. */
  readonly browser: string | undefined;
  /** What it keeps of sign-ins before. */
  readonly marks: string | undefined;
  readonly address: string;
  /** It is a program that wants the session as the answer, not a page to go to. */
  readonly wantsSession: boolean;
}

export type Arrival = SignedIn | { readonly location: string };

/** `marks` is what the browser shall keep from now on. */
export interface SignedIn {
  readonly session: IssuedSession;
  readonly marks: string;
}
