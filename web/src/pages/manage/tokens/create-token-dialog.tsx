import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import type { CreatedToken } from '@trellis/contract/shapes/token.ts';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { ServerForm } from '../../../ui/server-form.tsx';
import { ShownOnce } from '../../../ui/shown-once.tsx';
import { ActingUserField } from './acting-user-field.tsx';
import { ExpiryFields } from './expiry-fields.tsx';
import { PathField } from './path-field.tsx';
import { ScopesField } from './scopes-field.tsx';
import { newTokenOf, type TokenForm, type TokenFormValues } from './token-form.ts';
import type { TokenVariant } from './token-variants.ts';

interface CreateTokenDialogProps {
  readonly variant: TokenVariant;
  readonly onClose: () => void;
}

/** What a token of this kind carries, and then its value, this once. */
export function CreateTokenDialog({ variant, onClose }: CreateTokenDialogProps) {
  const [created, setCreated] = useState<CreatedToken>();
  return (
    <Dialog
      isOpen
      keepsOpen
      onClose={onClose}
      title={created === undefined ? `Add token: ${variant.label}` : `Token “${created.name}”`}
      {...(created === undefined && { description: variant.hint })}
    >
      {created === undefined ? (
        <CreateTokenForm variant={variant} onCreated={setCreated} onClose={onClose} />
      ) : (
        <>
          <ShownOnce
            label="Value of the token"
            value={created.token}
            warning="Copy the value now: it cannot be read again. Anyone who has it can do what the token allows."
          />
          <DialogActions>
            <Button kind="primary" onClick={onClose}>
              Done
            </Button>
          </DialogActions>
        </>
      )}
    </Dialog>
  );
}

interface CreateTokenFormProps extends CreateTokenDialogProps {
  readonly onCreated: (token: CreatedToken) => void;
}

function CreateTokenForm({ variant, onCreated, onClose }: CreateTokenFormProps) {
  const queries = useQueryClient();
  const form: TokenForm = useForm<TokenFormValues>({
    defaultValues: {
      name: '',
      scopes: [...(variant.scopes ?? [])],
      path: '',
      actingUser: [],
      expires: '90',
      expiresAt: '',
    },
  });
  const { errors, isSubmitting } = form.formState;
  const create = async (values: TokenFormValues) => {
    onCreated(await client.tokens.create(newTokenOf(variant, values, Date.now())));
    await queries.invalidateQueries({ queryKey: ['tokens'] });
  };
  return (
    <ServerForm form={form} onSend={create}>
      <TextField
        label="Name"
        hint="What it is for, so that you find it again."
        dir="auto"
        autoComplete="off"
        error={errors.name?.message}
        {...form.register('name', {
          validate: (name) => name.trim() !== '' || 'Give the token a name.',
        })}
      />
      {variant.scopes !== undefined && <ScopesField form={form} kind={variant.kind} />}
      {variant.hasPath === true && <PathField form={form} />}
      {variant.actingUser !== undefined && (
        <ActingUserField form={form} isRequired={variant.actingUser === 'required'} />
      )}
      <ExpiryFields form={form} />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" isBusy={isSubmitting}>
          Create token
        </Button>
      </DialogActions>
    </ServerForm>
  );
}
