import type { UseFormReturn } from 'react-hook-form';
import { SETTING_FIELDS } from '../../../app/setting-fields.ts';
import { CheckboxField, TextArea, TextField } from '../../../ui/field.tsx';
import type { ConnectorValues } from './connector-values.ts';

interface SourceFieldsProps {
  readonly form: UseFormReturn<ConnectorValues>;
  readonly hasSecret: boolean;
}

const ADDRESSES = {
  csv: 'https://files.example.com/prices.csv',
  postgres: 'postgres://db.example.com:5432/shop',
  git: 'https://git.example.com/shop.git',
  imap: 'imaps://mail.example.com',
  ldap: 'ldaps://directory.example.com',
} as const;

/** What a source of the chosen kind needs. */
export function SourceFields({ form, hasSecret }: SourceFieldsProps) {
  const errors = form.formState.errors;
  const kind = form.watch('kind');
  return (
    <>
      <TextField
        label="Address"
        hint={`It has to be in “${SETTING_FIELDS.fetchAllowList.label}” of the workspace settings.`}
        placeholder={ADDRESSES[kind]}
        autoComplete="off"
        spellCheck={false}
        error={errors.source?.url?.message}
        {...form.register('source.url', {
          validate: (url) => URL.canParse(url) || 'Enter an address.',
        })}
      />
      {kind === 'postgres' && <DatabaseFields form={form} />}
      <TextField
        label={kind === 'csv' ? 'Token' : 'Password or token'}
        type="password"
        autoComplete="new-password"
        hint={hasSecret ? 'Leave it empty to keep the one that there is.' : 'If it needs one.'}
        error={errors.secret?.message}
        {...form.register('secret')}
      />
      {kind === 'git' && <GitFields form={form} />}
      {kind === 'imap' && <MailFields form={form} />}
      {kind === 'ldap' && <DirectoryFields form={form} />}
      {(kind === 'csv' || kind === 'postgres') && <NodeFields form={form} />}
    </>
  );
}

type FieldsProps = Pick<SourceFieldsProps, 'form'>;

function NodeFields({ form }: FieldsProps) {
  const errors = form.formState.errors;
  return (
    <>
      <TextField
        label="Node type"
        hint="Each row becomes a node of it."
        error={errors.source?.type?.message}
        {...form.register('source.type', { required: 'Enter a type.' })}
      />
      <TextField
        label="Key column"
        hint="The column with the key of each node."
        error={errors.source?.key?.message}
        {...form.register('source.key', { required: 'Enter a column.' })}
      />
    </>
  );
}

function MailFields({ form }: FieldsProps) {
  const errors = form.formState.errors;
  return (
    <>
      <TextField
        label="User"
        autoComplete="off"
        hint="As the mail server knows them."
        error={errors.source?.user?.message}
        {...form.register('source.user', { required: 'Enter a user.' })}
      />
      <TextField
        label="Owner"
        autoComplete="off"
        hint="The user here whose mailbox it is, by name or address. Leave it empty for the one with the same name."
        error={errors.source?.owner?.message}
        {...form.register('source.owner')}
      />
      <TextField
        label="Folder"
        autoComplete="off"
        hint="With those below it. Leave it empty for all but junk, trash and drafts."
        error={errors.source?.folder?.message}
        {...form.register('source.folder')}
      />
      <TextField
        label="Bytes of a message"
        type="number"
        hint="Larger messages are brought without their text and attachments."
        error={errors.source?.fileBytesMax?.message}
        {...form.register('source.fileBytesMax', { valueAsNumber: true })}
      />
      <CheckboxField
        label="Encrypted connection also by imap (STARTTLS)"
        {...form.register('source.tls')}
      />
    </>
  );
}

function DirectoryFields({ form }: FieldsProps) {
  const errors = form.formState.errors;
  return (
    <>
      <TextField
        label="User"
        autoComplete="off"
        placeholder="cn=reader,dc=example,dc=com"
        hint="A distinguished name that may only read. Leave it empty where everybody may."
        error={errors.source?.user?.message}
        {...form.register('source.user')}
      />
      <TextField
        label="Base"
        autoComplete="off"
        placeholder="dc=example,dc=com"
        hint="Everything below it is looked at."
        error={errors.source?.base?.message}
        {...form.register('source.base', { required: 'Enter a distinguished name.' })}
      />
      <TextField
        label="Filter of people"
        className="font-mono"
        error={errors.source?.people?.message}
        {...form.register('source.people', { required: 'Enter a filter.' })}
      />
      <TextField
        label="Filter of groups"
        className="font-mono"
        hint="Leave it empty to bring none."
        error={errors.source?.groups?.message}
        {...form.register('source.groups')}
      />
      <TextField
        label="Attribute of user names"
        placeholder="uid"
        hint="People whose attribute is the name of a user here become members of the teams named as their groups. Leave it empty to leave teams as they are."
        error={errors.source?.login?.message}
        {...form.register('source.login')}
      />
      <TextField
        label="Team"
        hint="The team here that alone may see what comes. Leave it empty to open it to everybody."
        error={errors.source?.team?.message}
        {...form.register('source.team')}
      />
      <CheckboxField
        label="Encrypted connection also by ldap (STARTTLS)"
        {...form.register('source.tls')}
      />
    </>
  );
}

function GitFields({ form }: FieldsProps) {
  const errors = form.formState.errors;
  return (
    <>
      <TextField
        label="User"
        autoComplete="off"
        hint="Leave it empty for a token that needs none."
        error={errors.source?.user?.message}
        {...form.register('source.user')}
      />
      <TextField
        label="Branch"
        autoComplete="off"
        hint="Leave it empty for the one that the repository begins with."
        error={errors.source?.branch?.message}
        {...form.register('source.branch')}
      />
      <TextField
        label="Commits"
        type="number"
        hint="How many of the last ones are brought."
        error={errors.source?.commits?.message}
        {...form.register('source.commits', { valueAsNumber: true })}
      />
      <TextField
        label="Bytes of a file"
        type="number"
        hint="Larger files are brought without their content."
        error={errors.source?.fileBytesMax?.message}
        {...form.register('source.fileBytesMax', { valueAsNumber: true })}
      />
      <TextField
        label="Team"
        hint="The team here that alone may see what comes. Leave it empty to open it to everybody."
        error={errors.source?.team?.message}
        {...form.register('source.team')}
      />
    </>
  );
}

function DatabaseFields({ form }: FieldsProps) {
  const errors = form.formState.errors;
  return (
    <>
      <CheckboxField label="Encrypted connection (TLS)" {...form.register('source.tls')} />
      <TextField
        label="User"
        autoComplete="off"
        hint="One that may only read."
        error={errors.source?.user?.message}
        {...form.register('source.user', { required: 'Enter a user.' })}
      />
      <TextArea
        label="Query"
        className="font-mono"
        error={errors.source?.query?.message}
        {...form.register('source.query', { required: 'Enter a query.' })}
      />
      <TextField
        label="Column of changes"
        hint="When a row has changed last: then only newer rows are read. Leave it empty to read all."
        error={errors.source?.changed?.message}
        {...form.register('source.changed')}
      />
      <TextField
        label="Column of teams"
        hint="The team that may see a row, by its name here. Leave it empty to open rows to everybody."
        error={errors.source?.team?.message}
        {...form.register('source.team')}
      />
    </>
  );
}
