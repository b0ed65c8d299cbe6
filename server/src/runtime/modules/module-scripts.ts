import { hash } from 'node:crypto';
import {
  MODULE_SCRIPTS_CHARACTERS_MAX,
  SHARED_SCRIPT_CHARACTERS_MIN,
} from '#base/endpoint-limits.ts';
import { isPackage, specifierOf } from '../compile/imported-modules.ts';
import { fileNameOfPackage, toPackageScript } from '../compile/package-script.ts';
import { packageOf } from '../compile/package-text.ts';
import { type Linkable, toModuleScript } from '../compile/script.ts';
import type { LoadableScript } from '../sandbox/endpoint-call.ts';

/** A module, or a package, and its code. */
export interface ModuleText {
  readonly name: string;
  readonly code: string;
}

/** A module as scripts of realms are made of it. */
export interface ModuleScript extends Linkable, Pick<LoadableScript, 'fileName' | 'digest'> {}

interface KnownScript {
  readonly code: string;
  readonly made: Promise<ModuleScript>;
}

/**
 * The scripts of modules and packages, each made once of a text: whether it is about to be saved, a
 * part of a larger commit, or stored. The newest of each name stays, within bounds.
 */
export class ModuleScripts {
  readonly #prepare: (script: LoadableScript) => void;
  /** By name; the one that was asked for last is the last. */
  readonly #known = new Map<string, KnownScript>();
  #characters = 0;

  /** `prepare` is told of what calls will need. */
  constructor(prepare: (script: LoadableScript) => void) {
    this.#prepare = prepare;
  }

  of(module: ModuleText): Promise<ModuleScript> {
    const known = this.#known.get(module.name);
    if (known?.code === module.code) return this.#keep(module.name, known).made;
    return this.#add(module, linkableOf(module));
  }

  /** It is known what is made of this text. */
  put(module: ModuleText, linkable: Linkable): void {
    void this.#add(module, Promise.resolve(linkable));
  }

  /** Lets workers compile it before anybody calls what imports it. */
  async prepare(module: ModuleText): Promise<void> {
    const { specifiers: _, ...script } = await this.of(module);
    // What it imports is of no account to who compiles it.
    if (script.digest !== undefined) this.#prepare({ ...script, imports: [] });
  }

  async #made({ name }: ModuleText, linkable: Promise<Linkable>): Promise<ModuleScript> {
    const fileName = isPackage(name) ? fileNameOfPackage(specifierOf(name)) : specifierOf(name);
    const { script, parameters, specifiers } = await linkable;
    const isLong = script.length >= SHARED_SCRIPT_CHARACTERS_MIN;
    const text = `${fileName}\n${parameters}\n${script}`;
    const digest = isLong ? hash('sha256', text, 'base64url') : undefined;
    return { fileName, script, parameters, specifiers, digest };
  }

  #add(module: ModuleText, linkable: Promise<Linkable>): Promise<ModuleScript> {
    const { name, code } = module;
    const made = this.#made(module, linkable);
    // Whoever waits for it is told.
    made.catch(() => {});
    this.#keep(name, { code, made });
    for (const [oldest, { code: text }] of this.#known) {
      if (this.#characters <= MODULE_SCRIPTS_CHARACTERS_MAX || oldest === name) break;
      this.#known.delete(oldest);
      this.#characters -= text.length;
    }
    return made;
  }

  #keep(name: string, known: KnownScript): KnownScript {
    this.#characters -= this.#known.get(name)?.code.length ?? 0;
    this.#characters += known.code.length;
    this.#known.delete(name);
    this.#known.set(name, known);
    return known;
  }
}

function linkableOf({ name, code }: ModuleText): Promise<Linkable> {
  return isPackage(name) ? toPackageScript(packageOf(code)) : toModuleScript(code);
}
