import { scopes as purposes, scopesFor, type TokenKind } from '@trellis/contract/rights.ts';
import { CheckboxField } from '../../../ui/field.tsx';
import type { TokenForm } from './token-form.ts';

interface ScopesFieldProps {
  readonly form: TokenForm;
  readonly kind: TokenKind;
}

export function ScopesField({ form, kind }: ScopesFieldProps) {
  const error = form.formState.errors.scopes?.message;
  return (
    <fieldset className="flex flex-col gap-2" aria-describedby="scopes-error">
      <legend className="mb-1 font-medium">Scopes</legend>
      {scopesFor(kind).map((scope) => (
        <CheckboxField
          key={scope}
          label={scope}
          hint={sentence(purposes[scope])}
          value={scope}
          {...form.register('scopes', {
            validate: (chosen) => chosen.length > 0 || 'Choose at least one scope.',
          })}
        />
      ))}
      <p id="scopes-error" className="text-[13px] text-danger empty:hidden">
        {error}
      </p>
    </fieldset>
  );
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
