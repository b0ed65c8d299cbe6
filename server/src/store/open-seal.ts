import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { CheckedValues } from './checked-values.ts';
import { readForm, SealSalts, writeForm } from './seal-salts.ts';
import { SealedValues } from './sealed-values.ts';
import { plainValues, type ValueForm, type ValueSeal } from './value-seal.ts';
import type { Store } from './value-store.ts';

export interface SealOptions {
  /** Of the environment. */
  readonly path: string;
  readonly readOnly: boolean;
  /** As the store's file says; undefined where nobody has looked. */
  readonly values: ValueForm | undefined;
  readonly rootKey: Uint8Array | undefined;
}

/**
 * What the values of an environment come and go through. Its database `seals` says the form too, for whoever may read the environment
 * and not the file of the store; the first who opens it for writing notes it there.
 */
export function openSeal(seals: Store | undefined, options: SealOptions): ValueSeal {
  const { path, readOnly, values, rootKey } = options;
  const noted = readForm(seals);
  const form = rootKey === undefined ? (values ?? noted ?? 'plain') : 'sealed';
  if (noted === undefined ? readOnly && form !== 'plain' : noted !== form) {
    throw otherForm(path, `its values are ${noted ?? 'plain'}, and ${form} was expected`);
  }
  if (form === 'sealed' && rootKey === undefined) throw otherForm(path, 'its key is missing');
  if (noted === undefined && form !== 'plain')
    writeForm(must(seals, 'the database of seals'), form);
  switch (form) {
    case 'plain':
      return plainValues;
    case 'checked':
      return new CheckedValues();
    case 'sealed':
      return new SealedValues(
        must(rootKey, 'the key of the values'),
        new SealSalts(must(seals, 'the database of seals')),
      );
  }
}

function otherForm(path: string, why: string): Problem {
  return new Problem(
    'store_format_unknown',
    `the environment in ${path} cannot be opened: ${why}`,
    {
      hint: 'Start the version that wrote the folder, or restore a backup into an empty folder.',
    },
  );
}
