import type { ConnectorDefinition } from '@trellis/contract/shapes/connector.ts';
import type { Caller } from '#access/caller.ts';
import type { ConnectorService } from '#connectors/connector-service.ts';
import { inOrder } from '../definition-files.ts';
import type { Definition, DefinitionKind, Importer } from '../definition-kind.ts';

type Connectors = Pick<ConnectorService, 'list' | 'define' | 'delete' | 'renamedSource'>;

/** Throw `invalid_request` for what a request would be refused for. */
export interface ConnectorParsers {
  id(id: string): string;
  definition(definition: Definition): ConnectorDefinition;
}

/** Each under its id, as people may give two of them one name. Their secrets stay here. */
export class ConnectorKind implements DefinitionKind {
  readonly kind = 'connector';
  readonly layout = { folder: 'connectors' };
  readonly #connectors: Connectors;
  readonly #parsers: ConnectorParsers;

  constructor(connectors: Connectors, parsers: ConnectorParsers) {
    this.#connectors = connectors;
    this.#parsers = parsers;
  }

  names(caller: Caller): string[] {
    return this.#all(caller).map(({ id }) => id);
  }

  read(caller: Caller, name: string): Definition | undefined {
    const connector = this.#find(caller, name);
    return connector && tidy(connector);
  }

  parse(given: Definition, name: string): Definition {
    this.#parsers.id(name);
    const { source, ...connector } = this.#parsers.definition(given);
    return tidy({ ...connector, source: this.#connectors.renamedSource(source) });
  }

  /** Whoever writes a file need not know whether there is a secret. */
  merge(before: Definition | undefined, given: Definition): Definition {
    const { needsSecret = before?.['needsSecret'] ?? false, ...rest } = given;
    return { ...rest, needsSecret };
  }

  async write(
    { caller, address }: Importer,
    name: string,
    { after }: { readonly after: Definition },
  ): Promise<[]> {
    await this.#connectors.define(caller, name, this.#parsers.definition(after), address);
    return [];
  }

  async delete({ caller, address }: Importer, name: string): Promise<void> {
    await this.#connectors.delete(caller, name, address);
  }

  afterwards(caller: Caller, id: string): string | undefined {
    const connector = this.#find(caller, id);
    if (connector?.needsSecret !== true || connector.hasSecret) return undefined;
    return `Give the connector "${connector.name}" (${id}) its secret: it does not run without.`;
  }

  #find(caller: Caller, id: string) {
    return this.#all(caller).find((one) => one.id === id);
  }

  #all(caller: Caller) {
    return this.#connectors.list(caller, { skip: 0, take: Infinity }).items;
  }
}

function tidy(connector: ConnectorDefinition): Definition {
  const { name, source, schedule = null, enabled = true, needsSecret } = connector;
  return {
    name,
    source: inOrder(source),
    schedule,
    enabled,
    ...(needsSecret === undefined ? {} : { needsSecret }),
  };
}
