import { GOLDEN_SET_NAME_CHARACTERS_MAX } from '@trellis/contract/limits.ts';
import { useFormContext } from 'react-hook-form';
import { TextField } from '../../../ui/field.tsx';
import { goldenNameFault } from './golden-values.ts';

/** What a form has that begins a set, or adds a question to one. */
export interface FirstQuestion {
  /** Of a new set. */
  readonly name: string;
  readonly question: string;
  /** What its answer must say; may be empty. */
  readonly nugget: string;
}

/** `others`: the names of all sets. */
export function GoldenNameField({ others }: { readonly others: readonly string[] }) {
  const { register, formState } = useFormContext<FirstQuestion>();
  return (
    <TextField
      label="Name"
      hint="Letters, digits, “-”, “_” and “.”."
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={GOLDEN_SET_NAME_CHARACTERS_MAX}
      error={formState.errors.name?.message}
      {...register('name', { validate: (name) => goldenNameFault(name, others) })}
    />
  );
}

export function NuggetField() {
  const { register } = useFormContext<FirstQuestion>();
  return (
    <TextField
      label="What its answer must say"
      hint="One fact, in few words."
      autoComplete="off"
      {...register('nugget')}
    />
  );
}

export function nuggetsOf({ nugget }: Pick<FirstQuestion, 'nugget'>) {
  return nugget.trim() === '' ? [] : [{ text: nugget }];
}
