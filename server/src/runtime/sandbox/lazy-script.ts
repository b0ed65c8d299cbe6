import { Script } from 'node:vm';

/** A script that is compiled when it is first run, once for all realms of a thread. */
export class LazyScript {
  readonly #source: string;
  readonly #filename: string;
  #script: Script | undefined;

  constructor(source: string, filename: string) {
    this.#source = source;
    this.#filename = filename;
  }

  runInContext(context: object): unknown {
    this.#script ??= new Script(this.#source, { filename: this.#filename });
    return this.#script.runInContext(context);
  }
}
