import { SHARED_SCRIPTS_CHARACTERS_MAX } from '#base/endpoint-limits.ts';
import type { LoadableScript } from './endpoint-call.ts';
import type { LoadedScripts } from './worker-messages.ts';

interface SentScript {
  readonly number: number;
  readonly characters: number;
}

/**
 * The long scripts that one worker has compiled, by digest. The newest that were asked for stay: a
 * realm that is loaded needs none of them any more.
 */
export class SharedScripts {
  readonly #send: (item: string, payload?: string) => void;
  /** The one that was asked for last is the last. */
  readonly #sent = new Map<string, SentScript>();
  #lastNumber = 0;
  #characters = 0;

  constructor(send: (item: string, payload?: string) => void) {
    this.#send = send;
  }

  /** Modules as a worker is to load them, which then has the long ones. */
  sent(modules: readonly LoadableScript[]): LoadedScripts['modules'] {
    const needed = new Set<string>();
    const told = modules.map((module) => {
      const { digest, imports } = module;
      if (digest === undefined) return module;
      needed.add(digest);
      return { shared: this.#numberOf(digest, module), imports };
    });
    for (const [digest, { number, characters }] of this.#sent) {
      if (this.#characters <= SHARED_SCRIPTS_CHARACTERS_MAX || needed.has(digest)) break;
      this.#sent.delete(digest);
      this.#characters -= characters;
      this.#send(`"forget-script",${number}`);
    }
    return told;
  }

  #numberOf(digest: string, script: LoadableScript): number {
    const sent = this.#sent.get(digest) ?? this.#new(script);
    this.#sent.delete(digest);
    this.#sent.set(digest, sent);
    return sent.number;
  }

  #new(script: LoadableScript): SentScript {
    const number = ++this.#lastNumber;
    const characters = script.script.length;
    this.#characters += characters;
    this.#send(`"script",${number}`, JSON.stringify(script));
    return { number, characters };
  }
}
