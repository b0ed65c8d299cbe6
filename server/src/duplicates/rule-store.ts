import { DUPLICATE_RULES_MAX } from '@trellis/contract/limits.ts';
import type { DuplicateRule } from '@trellis/contract/shapes/duplicate.ts';
import { readSetting, settingOperation, settingVersion } from '#access/settings.ts';
import { Problem } from '#base/problem.ts';
import type { WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';

const SETTING = 'duplicates.rules';
/** From here on most pairs are one thing: see docs/duplicates.md for how that was measured. */
export const MIN_SCORE_DEFAULT = 0.5;

/** What is compared of each type, as a setting of the workspace. */
export class RuleStore {
  readonly #reader: GraphReader;

  constructor(reader: GraphReader) {
    this.#reader = reader;
  }

  /** By type, under the names that they have now. */
  list(): readonly DuplicateRule[] {
    // Only this class writes it.
    const stored = readSetting(this.#reader, SETTING) as
      | { readonly rules: readonly DuplicateRule[] }
      | undefined;
    return (stored?.rules ?? []).map((rule) => ({
      ...rule,
      type: this.#reader.typeNamed(rule.type),
    }));
  }

  of(type: string): DuplicateRule {
    const rule = this.list().find((one) => one.type === type);
    return rule ?? { type, fields: null, minScore: MIN_SCORE_DEFAULT, mergeAbove: null };
  }

  /** Throws `duplicate_rule_limit_reached`. */
  putting(rule: DuplicateRule): WriterOperation {
    const others = this.list().filter(({ type }) => type !== rule.type);
    if (others.length >= DUPLICATE_RULES_MAX) {
      throw new Problem(
        'duplicate_rule_limit_reached',
        `There are ${DUPLICATE_RULES_MAX} rules already.`,
      );
    }
    return this.#writing([...others, rule]);
  }

  /** Throws `duplicate_rule_not_found`. */
  deleting(type: string): WriterOperation {
    const rules = this.list();
    const others = rules.filter((one) => one.type !== this.#reader.typeNamed(type));
    if (others.length === rules.length) {
      throw new Problem('duplicate_rule_not_found', 'This type has no rule.');
    }
    return this.#writing(others);
  }

  #writing(rules: readonly DuplicateRule[]): WriterOperation {
    const sorted = rules.toSorted((a, b) => (a.type < b.type ? -1 : 1));
    return settingOperation(SETTING, { rules: sorted }, settingVersion(this.#reader, SETTING));
  }
}
