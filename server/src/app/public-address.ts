import { must } from '#base/assert.ts';

/** Where people reach the workspace: `MSK_PUBLIC_ADDRESS`, or else where this process listens. */
export class PublicAddress {
  /** No final slash. */
  readonly configured: string | null;
  #listening: string | undefined;

  constructor(configured: string | null) {
    this.configured = configured;
  }

  /** To be called once the process listens. */
  listensAt(url: string): void {
    this.#listening = url;
  }

  readonly url = (): string =>
    this.configured ?? must(this.#listening, 'the address that the server listens at');
}
