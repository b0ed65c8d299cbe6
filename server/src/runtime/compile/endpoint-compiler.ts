import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { Diagnostic } from '@trellis/contract/shapes/endpoint.ts';
import type { Completions, Hover, SignatureHelp } from '@trellis/contract/shapes/editor.ts';
import { Problem } from '#base/problem.ts';
import { completionsAt } from './completions.ts';
import { offsetAt } from './diagnostic.ts';
import { diagnosticsOf } from './diagnostics.ts';
import { hoverAt } from './hover.ts';
import type { ScopedSource } from './project-files.ts';
import { scopeTypes } from './scope-types.ts';
import { engineDiagnostics } from './script.ts';
import { signatureHelpAt } from './signature-help.ts';
import { CheckTimeout, TypeChecker } from './type-checker.ts';
import type { Asked, AskOptions } from './type-checker.ts';

/** A place in code that need not be complete: before the character of that column, both from 1. */
export interface CodePlace {
  readonly code: string;
  readonly isReadOnly: boolean;
  readonly line: number;
  readonly column: number;
}

/**
 * Checks the code of endpoints against a schema, and answers the questions of an editor about it.
 * The compiler's process starts with the first of them.
 */
export class EndpointCompiler {
  readonly #checker: TypeChecker;
  /** Types of the last schema: only the first check after a change makes them. */
  #types: ScopeTypes | undefined;

  constructor(checker: TypeChecker = new TypeChecker()) {
    this.#checker = checker;
  }

  /** An empty list when the code compiles. */
  async check(code: string, schema: SchemaDocument, isReadOnly: boolean): Promise<Diagnostic[]> {
    try {
      const checked = await this.#checker.check(this.#scoped(code, schema, isReadOnly));
      const diagnostics = diagnosticsOf(code, checked, schema);
      return diagnostics.length > 0 ? diagnostics : await engineDiagnostics(code);
    } catch (error) {
      if (!(error instanceof CheckTimeout)) throw error;
      return [{ line: 1, column: 1, code: 0, message: TOOK_TOO_LONG }];
    }
  }

  /**
   * This and the next two reject with `invalid_request`, `compiler_timeout`, or the signal's
   * reason.
   */
  completions(
    place: CodePlace,
    schema: SchemaDocument,
    signal?: AbortSignal,
  ): Promise<Completions> {
    const answer = (asked: Asked, offset: number) => completionsAt(asked, place.code, offset);
    return this.#at(place, schema, answer, { isDraft: true, signal });
  }

  hover(place: CodePlace, schema: SchemaDocument, signal?: AbortSignal): Promise<Hover | null> {
    const answer = (asked: Asked, offset: number) => hoverAt(asked, place.code, offset);
    return this.#at(place, schema, answer, { signal });
  }

  signatureHelp(
    place: CodePlace,
    schema: SchemaDocument,
    signal?: AbortSignal,
  ): Promise<SignatureHelp | null> {
    return this.#at(place, schema, signatureHelpAt, { signal });
  }

  /** The declarations that code is checked against. */
  types(schema: SchemaDocument, isReadOnly: boolean): string {
    if (this.#types?.schema !== schema) this.#types = { schema };
    return isReadOnly
      ? (this.#types.readOnly ??= scopeTypes(schema, true))
      : (this.#types.full ??= scopeTypes(schema, false));
  }

  /** Whether its process does not answer any more, not even after it was begun anew. */
  get isFailing(): boolean {
    return this.#checker.isFailing;
  }

  close(): Promise<void> {
    return this.#checker.close();
  }

  async #at<T>(
    { code, isReadOnly, line, column }: CodePlace,
    schema: SchemaDocument,
    answer: (asked: Asked, offset: number) => Promise<T>,
    options: AskOptions,
  ): Promise<T> {
    const offset = offsetAt(code, line, column);
    if (offset === undefined) throw noSuchPlace(line, column);
    try {
      const source = this.#scoped(code, schema, isReadOnly);
      return await this.#checker.ask(source, (asked) => answer(asked, offset), options);
    } catch (error) {
      if (!(error instanceof CheckTimeout)) throw error;
      throw new Problem('compiler_timeout', 'The types of this code took too long.', {
        cause: error,
      });
    }
  }

  #scoped(source: string, schema: SchemaDocument, isReadOnly: boolean): ScopedSource {
    const scope = isReadOnly ? 'read-only' : 'full';
    return { source, scope, scopeTypes: this.types(schema, isReadOnly) };
  }
}

interface ScopeTypes {
  readonly schema: SchemaDocument;
  full?: string;
  readOnly?: string;
}

const TOOK_TOO_LONG = 'Checking the types of this code took too long: simplify them.';

function noSuchPlace(line: number, column: number): Problem {
  return new Problem('invalid_request', `The code has no line ${line} with a column ${column}`, {
    details: {
      fields: [
        { path: 'line', message: 'and column together must be a place in the code' },
        { path: 'column', message: 'may be one after the last character of the line, at most' },
      ],
    },
  });
}
