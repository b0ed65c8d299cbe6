import type { SchemaDocument } from '#graph/schema.ts';
import type { Diagnostic } from './diagnostic.ts';
import { diagnosticsOf } from './diagnostics.ts';
import { scopeTypes } from './scope-types.ts';
import { engineDiagnostics } from './script.ts';
import { CheckTimeout, TypeChecker } from './type-checker.ts';

/**
 * Checks the code of endpoints against a schema. The compiler's process starts with the first
 * check.
 */
export class EndpointCompiler {
  readonly #checker = new TypeChecker();
  /** Of the last schema: it is a look-up for every check but the first after a change. */
  #types: ScopeTypes | undefined;

  /** An empty list when the code compiles. */
  async check(code: string, schema: SchemaDocument, isReadOnly: boolean): Promise<Diagnostic[]> {
    try {
      const checked = await this.#checker.check({
        source: code,
        scope: isReadOnly ? 'read-only' : 'full',
        scopeTypes: this.types(schema, isReadOnly),
      });
      const diagnostics = diagnosticsOf(code, checked, schema);
      return diagnostics.length > 0 ? diagnostics : await engineDiagnostics(code);
    } catch (error) {
      if (!(error instanceof CheckTimeout)) throw error;
      return [{ line: 1, column: 1, code: 0, message: TOOK_TOO_LONG }];
    }
  }

  /** The declarations that code is checked against. */
  types(schema: SchemaDocument, isReadOnly: boolean): string {
    if (this.#types?.schema !== schema) this.#types = { schema };
    return isReadOnly
      ? (this.#types.readOnly ??= scopeTypes(schema, true))
      : (this.#types.full ??= scopeTypes(schema, false));
  }

  close(): Promise<void> {
    return this.#checker.close();
  }
}

interface ScopeTypes {
  readonly schema: SchemaDocument;
  full?: string;
  readOnly?: string;
}

const TOOK_TOO_LONG = 'Checking the types of this code took too long: simplify them.';
