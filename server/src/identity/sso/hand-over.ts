import { isSameBrowser } from './browser-binding.ts';
import type { SealedStates } from './sealed-states.ts';
import { stateInvalid } from './sso-problems.ts';

/** Somebody who has signed in and whose browser has not fetched the session yet. */
export interface Arrived {
  readonly userUid: string;
  readonly via: string;
  /** The browser in which the sign-in began: no other one gets the session. */
  readonly browser: string;
}

/**
 * How a session reaches the front end without standing in an address, a log or a history: the
 * redirect carries a code in the fragment, which the same browser exchanges for the session, once
 * and soon.
 */
export class HandOver {
  readonly #codes: SealedStates<Arrived>;
  readonly #publicAddress: string;

  constructor(codes: SealedStates<Arrived>, publicAddress: string) {
    this.#codes = codes;
    this.#publicAddress = publicAddress;
  }

  /**
   * Where to send the browser: the page `#/signed-in` of the front end, which goes on to
   * `returnTo`.
   */
  location(arrived: Arrived, returnTo: string): string {
    const query = new URLSearchParams({ code: this.#codes.seal(arrived), returnTo });
    return `${this.#publicAddress}/#/signed-in?${query.toString()}`;
  }

  /** Throws `sso_state_invalid`. */
  take(code: string, browser: string | undefined): Arrived {
    const opened = this.#codes.open(code);
    if (opened === undefined || !isSameBrowser(opened.state.browser, browser)) throw stateInvalid();
    if (!opened.use()) throw stateInvalid();
    return opened.state;
  }
}
