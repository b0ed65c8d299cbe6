import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { PASSWORD_CHARACTERS_MIN, USER_NAME_CHARACTERS_MAX } from '@trellis/contract/limits.ts';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { ServerForm } from '../../../ui/server-form.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { ResetLink } from './reset-link-dialog.tsx';
import type { Choice } from './user-account.ts';
import { IdentityFields, RadioField, RightsFields } from './user-fields.tsx';
import {
  type FirstSignIn,
  NEW_USER,
  newUserOf,
  type UserForm,
  type UserFormValues,
} from './user-form.ts';
import { refreshUsers } from './user-queries.ts';

interface Handover {
  readonly userName: string;
  readonly link: string;
  readonly expiresAt: string;
}

/** A new user, and the link for their first sign-in when one is asked for. */
export function CreateUserDialog({ onClose }: { readonly onClose: () => void }) {
  const [handover, setHandover] = useState<Handover>();
  return (
    <Dialog
      isOpen
      keepsOpen
      onClose={onClose}
      title={handover === undefined ? 'Add user' : `${handover.userName} is a user now`}
    >
      {handover === undefined ? (
        <CreateUserForm onClose={onClose} onHandover={setHandover} />
      ) : (
        <>
          <ResetLink link={handover.link} expiresAt={handover.expiresAt} />
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

interface CreateUserFormProps {
  readonly onClose: () => void;
  readonly onHandover: (handover: Handover) => void;
}

function CreateUserForm({ onClose, onHandover }: CreateUserFormProps) {
  const queries = useQueryClient();
  const form: UserForm = useForm<UserFormValues>({ defaultValues: NEW_USER });
  const { errors, isSubmitting } = form.formState;
  const create = async (values: UserFormValues) => {
    const user = await client.users.create(newUserOf(values));
    await refreshUsers(queries);
    toastDone('The user is created', values.userName);
    const link = values.firstSignIn === 'reset-link' ? await resetLinkOf(user.UID) : undefined;
    if (link === undefined) onClose();
    else onHandover({ userName: values.userName, ...link });
  };
  return (
    <ServerForm form={form} onSend={create}>
      <TextField
        label="User name"
        hint="For signing in; it cannot be changed later."
        dir="auto"
        autoComplete="off"
        autoCapitalize="none"
        maxLength={USER_NAME_CHARACTERS_MAX}
        error={errors.userName?.message}
        {...form.register('userName', {
          validate: (name) => name.trim() !== '' || 'Enter a user name.',
        })}
      />
      <IdentityFields form={form} />
      <RightsFields form={form} roleReason={() => undefined} />
      <FirstSignInFields form={form} />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" isBusy={isSubmitting}>
          Create user
        </Button>
      </DialogActions>
    </ServerForm>
  );
}

/** The user is there already: that there is no link is told beside. */
async function resetLinkOf(uid: string): Promise<Omit<Handover, 'userName'> | undefined> {
  try {
    return await client.users.createPasswordResetLink(uid);
  } catch (error) {
    toastError('The reset link was not made', error);
    return undefined;
  }
}

const FIRST_SIGN_INS: readonly Choice<FirstSignIn>[] = [
  {
    value: 'reset-link',
    label: 'With a link',
    hint: 'You hand over a link with which the user sets a password. It works once.',
  },
  { value: 'password', label: 'With a password', hint: 'You set it now, and tell the user.' },
  { value: 'provider', label: 'At an identity provider', hint: 'The user has no password here.' },
];

function FirstSignInFields({ form }: { readonly form: UserForm }) {
  const firstSignIn = form.watch('firstSignIn');
  return (
    <>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 font-medium">First sign-in</legend>
        {FIRST_SIGN_INS.map((choice) => (
          <RadioField key={choice.value} {...choice} {...form.register('firstSignIn')} />
        ))}
      </fieldset>
      {firstSignIn === 'password' && (
        <TextField
          label="Password"
          type="password"
          autoComplete="new-password"
          hint={`At least ${PASSWORD_CHARACTERS_MIN} characters.`}
          error={form.formState.errors.password?.message}
          {...form.register('password', {
            minLength: {
              value: PASSWORD_CHARACTERS_MIN,
              message: `Use at least ${PASSWORD_CHARACTERS_MIN} characters.`,
            },
            required: 'Enter a password.',
          })}
        />
      )}
    </>
  );
}
