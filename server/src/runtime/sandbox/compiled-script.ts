import { Script } from 'node:vm';
import type { LoadableScript } from './endpoint-call.ts';
import { faultOfScriptText, scriptColumnOffset, wrapScript } from './script-text.ts';

const NAMES_ZOD = /\bz\b/;

/**
 * A script of endpoint code as all realms of a thread run it: looked at and compiled once. Its text
 * is not kept beside what V8 has of it.
 */
export class CompiledScript {
  readonly fileName: string;
  readonly namesZod: boolean;
  /** Why no realm may run it; undefined when any may. */
  readonly fault: string | undefined;
  readonly #script: Script | undefined;

  /** Never throws. */
  constructor(text: Pick<LoadableScript, 'fileName' | 'script' | 'parameters'>) {
    const { fileName, script, parameters } = text;
    this.fileName = fileName;
    // A package that has a "z" has its own.
    this.namesZod = !fileName.startsWith('npm:') && NAMES_ZOD.test(script);
    try {
      const whole = wrapScript(text);
      const fault = faultOfScriptText(whole);
      if (fault !== undefined) {
        this.fault = `the code is not loaded: ${fault}`;
        return;
      }
      const columnOffset = scriptColumnOffset(parameters);
      this.#script = new Script(whole, { filename: fileName, columnOffset });
    } catch {
      this.fault = 'the code is not valid JavaScript';
    }
  }

  /**
   * Its function, an object of the realm, which is only passed on. Only for a script without a
   * fault.
   */
  runInContext(context: object): unknown {
    return this.#script?.runInContext(context);
  }
}
