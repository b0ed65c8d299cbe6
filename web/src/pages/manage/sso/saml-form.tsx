import { useQueryClient } from '@tanstack/react-query';
import type { UseFormReturn } from 'react-hook-form';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { CheckboxField, TextArea, TextField } from '../../../ui/field.tsx';
import { ServerForm } from '../../../ui/server-form.tsx';
import { AdmissionFields } from './admission-fields.tsx';
import { DeleteSamlProvider } from './delete-saml-provider.tsx';
import { samlQuery } from './saml-query.ts';
import { samlChangeOf, type SamlProvider, type SamlValues, samlValuesOf } from './saml-values.ts';
import { trimmed, useStoredForm } from './use-stored-form.ts';

interface SamlFormProps {
  readonly name: string;
  readonly provider: SamlProvider;
  readonly isAllowed: boolean;
}

export function SamlForm({ name, provider, isAllowed }: SamlFormProps) {
  const queries = useQueryClient();
  const { form, base, onSaved } = useStoredForm(provider, samlValuesOf);
  const { isSubmitting, isDirty } = form.formState;
  const save = async (values: SamlValues) => {
    const change = { [name]: samlChangeOf(base, values) };
    const saved = await client.sso.setSamlConfig({ providers: change });
    queries.setQueryData(samlQuery.queryKey, saved);
    onSaved(saved.providers[name] ?? provider, name);
  };
  return (
    <ServerForm form={form} onSend={save} isDisabled={!isAllowed}>
      <ProviderFields form={form} />
      <AttributeFields form={form} />
      <AdmissionFields isDisabled={!isAllowed} />
      <div className="flex flex-wrap justify-between gap-2">
        <Button kind="primary" type="submit" isBusy={isSubmitting} disabled={!isDirty}>
          Save
        </Button>
        <DeleteSamlProvider name={name} />
      </div>
    </ServerForm>
  );
}

interface PartProps {
  readonly form: UseFormReturn<SamlValues>;
}

function ProviderFields({ form }: PartProps) {
  const { errors } = form.formState;
  return (
    <>
      <CheckboxField
        label="Enabled"
        hint="People can sign in with it. The provider is trusted to check who owns an e-mail address."
        {...form.register('enabled')}
      />
      <TextField
        label="Sign-on URL"
        hint="Where the provider accepts requests, with the HTTP redirect binding."
        type="url"
        autoComplete="off"
        error={errors.entryPoint?.message}
        {...form.register('entryPoint', { setValueAs: trimmed })}
      />
      <TextField
        label="Entity id of the provider"
        autoComplete="off"
        error={errors.idpIssuer?.message}
        {...form.register('idpIssuer', { setValueAs: trimmed })}
      />
      <TextArea
        label="Certificates"
        hint="In PEM, one after the other: more than one while the provider changes its key."
        isCode
        rows={6}
        spellCheck={false}
        error={errors.idpCertificates?.message}
        {...form.register('idpCertificates', { setValueAs: trimmed })}
      />
    </>
  );
}

const ATTRIBUTES = [
  ['emailAttribute', 'E-mail attribute'],
  ['firstNameAttribute', 'First name attribute'],
  ['lastNameAttribute', 'Last name attribute'],
  ['groupsAttribute', 'Groups attribute'],
] as const;

function AttributeFields({ form }: PartProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {ATTRIBUTES.map(([name, label]) => (
        <TextField
          key={name}
          label={label}
          autoComplete="off"
          error={form.formState.errors[name]?.message}
          {...form.register(name, { required: 'Enter the name of the attribute.' })}
        />
      ))}
    </div>
  );
}
