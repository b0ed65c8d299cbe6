import { useQueryClient } from '@tanstack/react-query';
import type { UseFormReturn } from 'react-hook-form';
import type { SsoConfig, SsoProvider } from '@trellis/contract/shapes/sso.ts';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { ChipsInput } from '../../../ui/chips-input.tsx';
import { CheckboxField, TextField } from '../../../ui/field.tsx';
import { ServerForm } from '../../../ui/server-form.tsx';
import { AdmissionFields } from './admission-fields.tsx';
import { oidcChangeOf, type OidcValues, oidcValuesOf } from './oidc-values.ts';
import { trimmed, useStoredForm } from './use-stored-form.ts';

interface OidcFormProps {
  readonly provider: SsoProvider;
  readonly config: SsoConfig;
  readonly issuerHint: string;
  readonly isAllowed: boolean;
}

const DIRTY = { shouldDirty: true } as const;

export function OidcForm({ provider, config, issuerHint, isAllowed }: OidcFormProps) {
  const queries = useQueryClient();
  const { form, base, onSaved } = useStoredForm(config, oidcValuesOf);
  const { isSubmitting, isDirty } = form.formState;
  const save = async (values: OidcValues) => {
    const saved = await client.sso.setConfig(provider, oidcChangeOf(base, values));
    queries.setQueryData(['sso', provider], saved);
    onSaved(saved);
  };
  return (
    <ServerForm form={form} onSend={save} isDisabled={!isAllowed}>
      <CheckboxField
        label="Enabled"
        hint="People can sign in with it. The provider is trusted to check who owns an e-mail address."
        {...form.register('enabled')}
      />
      <ClientFields form={form} issuerHint={issuerHint} />
      <SecretFields form={form} isSet={config.hasClientSecret} />
      <ClaimFields form={form} isDisabled={!isAllowed} />
      <AdmissionFields isDisabled={!isAllowed} />
      <div>
        <Button kind="primary" type="submit" isBusy={isSubmitting} disabled={!isDirty}>
          Save
        </Button>
      </div>
    </ServerForm>
  );
}

interface PartProps {
  readonly form: UseFormReturn<OidcValues>;
}

function ClientFields({ form, issuerHint }: PartProps & { readonly issuerHint: string }) {
  const { errors } = form.formState;
  return (
    <>
      <TextField
        label="Issuer"
        hint={issuerHint}
        type="url"
        autoComplete="off"
        error={errors.issuer?.message}
        {...form.register('issuer', { setValueAs: trimmed })}
      />
      <TextField
        label="Client id"
        autoComplete="off"
        error={errors.clientId?.message}
        {...form.register('clientId', { setValueAs: trimmed })}
      />
    </>
  );
}

/** The secret is never told: it is either there or not. */
function SecretFields({ form, isSet }: PartProps & { readonly isSet: boolean }) {
  return (
    <>
      <TextField
        label="Client secret"
        hint={
          isSet
            ? 'Set. Leave it blank to keep it; for another issuer enter it again.'
            : 'From the provider.'
        }
        type="password"
        autoComplete="new-password"
        error={form.formState.errors.clientSecret?.message}
        {...form.register('clientSecret', { setValueAs: trimmed })}
      />
      {isSet && (
        <CheckboxField label="Remove the secret that is set" {...form.register('removesSecret')} />
      )}
    </>
  );
}

function ClaimFields({ form, isDisabled }: PartProps & { readonly isDisabled: boolean }) {
  const { errors } = form.formState;
  return (
    <>
      <ChipsInput
        label="Scopes"
        hint="Requested from the provider; openid is always included."
        values={form.watch('scopes')}
        onChange={(scopes) => form.setValue('scopes', scopes, DIRTY)}
        error={errors.scopes?.message}
        isDisabled={isDisabled}
      />
      <TextField
        label="Groups claim"
        hint="The claim that lists the groups of a user."
        autoComplete="off"
        error={errors.groupsClaim?.message}
        {...form.register('groupsClaim', { setValueAs: trimmed })}
      />
    </>
  );
}
