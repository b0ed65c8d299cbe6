import type { Role } from '@trellis/contract/rights.ts';
import { CheckboxField, TextField } from '../../../ui/field.tsx';
import { ACCOUNTS, type Choice, ROLE_CHOICES } from './user-account.ts';
import { holdsRoles, type UserForm } from './user-form.ts';

/** Names and address, which both forms have. */
export function IdentityFields({ form }: { readonly form: UserForm }) {
  const { errors } = form.formState;
  return (
    <>
      <TextField
        label="E-mail address"
        type="email"
        autoComplete="off"
        error={errors.email?.message}
        {...form.register('email', {
          validate: (email) => email.trim() !== '' || 'Enter an address.',
        })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="First name"
          dir="auto"
          autoComplete="off"
          error={errors.firstName?.message}
          {...form.register('firstName')}
        />
        <TextField
          label="Last name"
          dir="auto"
          autoComplete="off"
          error={errors.lastName?.message}
          {...form.register('lastName')}
        />
      </div>
    </>
  );
}

interface RightsProps {
  readonly form: UserForm;
  /** Why what the user is cannot be changed here. */
  readonly accountReason?: string | undefined;
  /** Why a role cannot be granted, or taken. */
  readonly roleReason: (role: Role) => string | undefined;
}

/** What a user is, and the roles of one who is no administrator. */
export function RightsFields({ form, accountReason, roleReason }: RightsProps) {
  const account = form.watch('account');
  return (
    <>
      <fieldset className="flex flex-col gap-2" disabled={accountReason !== undefined}>
        <legend className="mb-1 font-medium">Is</legend>
        {accountReason !== undefined && <p className="text-[13px] text-muted">{accountReason}</p>}
        {ACCOUNTS.map((choice) => (
          <RadioField key={choice.value} {...choice} {...form.register('account')} />
        ))}
      </fieldset>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 font-medium">Roles</legend>
        {holdsRoles(account) ? (
          ROLE_CHOICES.map(({ value, label, hint }) => {
            const reason = roleReason(value);
            return (
              <CheckboxField
                key={value}
                label={label}
                hint={reason ?? hint}
                value={value}
                {...form.register('roles')}
                disabled={reason !== undefined}
              />
            );
          })
        ) : (
          <p className="text-[13px] text-muted">Administrators need no roles.</p>
        )}
      </fieldset>
    </>
  );
}

type RadioFieldProps = Choice<string> & ReturnType<UserForm['register']>;

export function RadioField({ value, label, hint, ...input }: RadioFieldProps) {
  const id = `${input.name}-${value}`;
  return (
    <div className="flex items-start gap-2">
      <input
        {...input}
        id={id}
        type="radio"
        value={value}
        aria-describedby={`${id}-hint`}
        className="mt-0.5 size-4 shrink-0 accent-accent"
      />
      <div>
        <label htmlFor={id}>{label}</label>
        <p id={`${id}-hint`} className="text-[13px] text-muted">
          {hint}
        </p>
      </div>
    </div>
  );
}
