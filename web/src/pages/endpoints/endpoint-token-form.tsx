import type { CreatedToken } from '@trellis/contract/shapes/token.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { client } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { DialogActions } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { ServerForm } from '../../ui/server-form.tsx';
import { ActingUserField } from '../manage/tokens/acting-user-field.tsx';
import { ExpiryFields } from '../manage/tokens/expiry-fields.tsx';
import { PathField } from '../manage/tokens/path-field.tsx';
import { newTokenOf, type TokenForm, type TokenFormValues } from '../manage/tokens/token-form.ts';
import { variantOf } from '../manage/tokens/token-variants.ts';

interface EndpointTokenFormProps {
  /** The endpoint that it is for, unless another path is entered. */
  readonly name: string;
  readonly onMade: (token: CreatedToken) => void;
  readonly onBack: () => void;
}

export function EndpointTokenForm({ name, onMade, onBack }: EndpointTokenFormProps) {
  const queries = useQueryClient();
  const form: TokenForm = useForm<TokenFormValues>({
    defaultValues: {
      name: '',
      scopes: [],
      path: name,
      actingUser: [],
      expires: '90',
      expiresAt: '',
    },
  });
  const { errors, isSubmitting } = form.formState;
  const create = async (values: TokenFormValues) => {
    onMade(await client.tokens.create(newTokenOf(variantOf('endpoint'), values, Date.now())));
    await queries.invalidateQueries({ queryKey: ['tokens'] });
  };
  return (
    <ServerForm form={form} onSend={create}>
      <TextField
        label="Purpose"
        hint="What it is for, so that you find it again."
        dir="auto"
        autoComplete="off"
        error={errors.name?.message}
        {...form.register('name', {
          validate: (purpose) => purpose.trim() !== '' || 'Enter the purpose of the token.',
        })}
      />
      <PathField form={form} />
      <ActingUserField form={form} isRequired={false} />
      <ExpiryFields form={form} />
      <DialogActions>
        <Button onClick={onBack}>Back</Button>
        <Button kind="primary" type="submit" isBusy={isSubmitting}>
          Create token
        </Button>
      </DialogActions>
    </ServerForm>
  );
}
