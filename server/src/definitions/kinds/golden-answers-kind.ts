import type { CheckedGoldenAnswers } from '@trellis/contract/shapes/golden-answers.ts';
import type { Caller } from '#access/caller.ts';
import { checkGoldenAnswers } from '#assistant/golden/golden-check.ts';
import type { GoldenAnswers } from '#assistant/golden/golden-answers.ts';
import { inOrder } from '../definition-files.ts';
import type { Definition, DefinitionKind, Importer } from '../definition-kind.ts';

type GoldenSets = Pick<GoldenAnswers, 'list' | 'get' | 'put' | 'delete'>;

/** Throw `invalid_request` for what a request would be refused for. */
export interface GoldenAnswersParsers {
  name(name: string): string;
  definition(definition: Definition): CheckedGoldenAnswers;
}

/** Without their runs, which are of the workspace in which they were run. */
export class GoldenAnswersKind implements DefinitionKind {
  readonly kind = 'golden-answers';
  readonly layout = { folder: 'golden-answers' };
  readonly #sets: GoldenSets;
  readonly #parsers: GoldenAnswersParsers;

  constructor(sets: GoldenSets, parsers: GoldenAnswersParsers) {
    this.#sets = sets;
    this.#parsers = parsers;
  }

  names(caller: Caller): string[] {
    return this.#sets.list(caller).items.map(({ name }) => name);
  }

  read(caller: Caller, name: string): Definition | undefined {
    return this.names(caller).includes(name) ? tidy(this.#sets.get(caller, name)) : undefined;
  }

  parse(given: Definition, name: string): Definition {
    this.#parsers.name(name);
    const set = this.#parsers.definition(given);
    checkGoldenAnswers(set);
    return tidy(set);
  }

  async write(
    { caller, address }: Importer,
    name: string,
    { after }: { readonly after: Definition },
  ): Promise<[]> {
    await this.#sets.put(caller, name, this.#parsers.definition(after), address);
    return [];
  }

  async delete({ caller, address }: Importer, name: string): Promise<void> {
    await this.#sets.delete(caller, name, address);
  }
}

function tidy({ description, questions }: CheckedGoldenAnswers): Definition {
  return { description, questions: questions.map(inOrder) };
}
