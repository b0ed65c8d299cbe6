import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type {
  Completions,
  EditorPlace,
  Hover,
  SignatureHelp,
} from '@trellis/contract/shapes/editor.ts';
import type { Caller } from '#access/caller.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { CodePlace, EndpointCompiler } from './compile/endpoint-compiler.ts';
import { checkCode } from './endpoint-definition.ts';

export interface EditorServiceOptions {
  readonly reader: GraphReader;
  readonly compiler: EndpointCompiler;
}

/**
 * What an editor asks about code that is being written, answered against the live schema. Every
 * method rejects with `invalid_request`, `compiler_timeout`, or the reason of the signal, which
 * ends the waiting for the compiler.
 */
export class EditorService {
  readonly #options: EditorServiceOptions;

  constructor(options: EditorServiceOptions) {
    this.#options = options;
  }

  async completions(
    _caller: Caller,
    place: EditorPlace,
    signal?: AbortSignal,
  ): Promise<Completions> {
    return this.#options.compiler.completions(checked(place), this.#schema(), signal);
  }

  async hover(_caller: Caller, place: EditorPlace, signal?: AbortSignal): Promise<Hover | null> {
    return this.#options.compiler.hover(checked(place), this.#schema(), signal);
  }

  async signatureHelp(
    _caller: Caller,
    place: EditorPlace,
    signal?: AbortSignal,
  ): Promise<SignatureHelp | null> {
    return this.#options.compiler.signatureHelp(checked(place), this.#schema(), signal);
  }

  #schema(): SchemaDocument {
    const { reader } = this.#options;
    reader.refresh();
    return reader.schema();
  }
}

function checked({ isReadOnly = false, ...place }: EditorPlace): CodePlace {
  checkCode(place.code);
  return { ...place, isReadOnly };
}
