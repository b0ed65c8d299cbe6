import { FormProvider, type UseFormReturn, useFormContext } from 'react-hook-form';
import { SETTING_FIELDS } from '../../../app/setting-fields.ts';
import { CheckboxField, SelectField, TextArea, TextField } from '../../../ui/field.tsx';
import { faultOfRules } from './access-rules.ts';
import { addressOf, type ConnectorValues } from './connector-values.ts';

interface SourceFieldsProps {
  readonly form: UseFormReturn<ConnectorValues>;
  readonly hasSecret: boolean;
}

const ADDRESSES = {
  csv: 'https://files.example.com/prices.csv',
  folder: '/srv/files',
  postgres: 'postgres://db.example.com:5432/shop',
  git: 'https://git.example.com/shop.git',
  imap: 'imaps://mail.example.com',
  ldap: 'ldaps://directory.example.com',
  webdav: 'https://files.example.com/dav/shared',
} as const;

/** Whom the server of a source knows; nobody for a table, and for a folder. */
const USERS = {
  postgres: { hint: 'One that may only read.', isRequired: true },
  git: { hint: 'Leave it empty for a token that needs none.', isRequired: false },
  webdav: { hint: 'Leave it empty for a token that needs none.', isRequired: false },
  imap: { hint: 'As the mail server knows them.', isRequired: true },
  ldap: {
    hint: 'A distinguished name that may only read. Leave it empty where everybody may.',
    placeholder: 'cn=reader,dc=example,dc=com',
    isRequired: false,
  },
} as const;

/** What a source of the chosen kind needs. */
export function SourceFields({ form, hasSecret }: SourceFieldsProps) {
  const errors = form.formState.errors;
  const kind = form.watch('kind');
  const needsRows = kind === 'csv' || kind === 'postgres';
  return (
    <FormProvider {...form}>
      <TextField
        label="Address"
        hint={addressHint(kind)}
        placeholder={ADDRESSES[kind]}
        autoComplete="off"
        spellCheck={false}
        error={errors.source?.url?.message}
        {...form.register('source.url', {
          validate: (url) => URL.canParse(addressOf(url)) || 'Enter an address.',
        })}
      />
      {kind !== 'csv' && kind !== 'folder' && <UserField {...USERS[kind]} />}
      {kind !== 'folder' && (
        <TextField
          label={kind === 'csv' ? 'Token' : 'Password or token'}
          type="password"
          autoComplete="new-password"
          hint={hasSecret ? 'Leave it empty to keep the one that there is.' : 'If it needs one.'}
          error={errors.secret?.message}
          {...form.register('secret')}
        />
      )}
      {kind === 'postgres' && <DatabaseFields />}
      {kind === 'git' && <GitFields />}
      {kind === 'imap' && <MailFields />}
      {kind === 'ldap' && <DirectoryFields />}
      {(kind === 'webdav' || kind === 'folder') && (
        <FileFields hasAccessLists={kind === 'webdav'} />
      )}
      {needsRows && <NodeFields />}
    </FormProvider>
  );
}

const ON_DISK = 'below a folder that MSK_CONNECTOR_ROOTS of the server names';

function addressHint(kind: ConnectorValues['kind']): string {
  if (kind === 'folder') return `A path on the server, ${ON_DISK}.`;
  const allowed = `It has to be in “${SETTING_FIELDS.fetchAllowList.label}” of the workspace settings`;
  return kind === 'csv' ? `${allowed}; or a path on the server, ${ON_DISK}.` : `${allowed}.`;
}

interface SourceFieldProps {
  readonly name: keyof ConnectorValues['source'];
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string;
  /** What is said where it is empty; it may be empty without one. */
  readonly missing?: string;
  readonly isNumber?: true;
  readonly isCode?: true;
}

/** One text or number of the source. */
function SourceField(props: SourceFieldProps) {
  const { name, missing, isNumber = false, isCode = false, ...shown } = props;
  const { register, formState } = useFormContext<ConnectorValues>();
  return (
    <TextField
      {...shown}
      autoComplete="off"
      type={isNumber ? 'number' : 'text'}
      isCode={isCode}
      error={formState.errors.source?.[name]?.message}
      {...register(
        `source.${name}`,
        isNumber ? { valueAsNumber: true } : { required: missing ?? false },
      )}
    />
  );
}

interface UserFieldProps {
  readonly hint: string;
  readonly placeholder?: string;
  readonly isRequired: boolean;
}

function UserField({ isRequired, ...shown }: UserFieldProps) {
  return (
    <SourceField
      name="user"
      label="User"
      {...shown}
      {...(isRequired ? { missing: 'Enter a user.' } : {})}
    />
  );
}

function TeamField() {
  return (
    <SourceField
      name="team"
      label="Team"
      hint="The team here that alone may see what comes. Leave it empty to open it to everybody."
    />
  );
}

function EncryptionField({ label }: { readonly label: string }) {
  const { register } = useFormContext<ConnectorValues>();
  return <CheckboxField label={label} {...register('source.tls')} />;
}

function NodeFields() {
  return (
    <>
      <SourceField
        name="type"
        label="Node type"
        hint="Each row becomes a node of it."
        missing="Enter a type."
      />
      <SourceField
        name="key"
        label="Key column"
        hint="The column with the key of each node."
        missing="Enter a column."
      />
    </>
  );
}

function MailFields() {
  return (
    <>
      <SourceField
        name="owner"
        label="Owner"
        hint="The user here whose mailbox it is, by name or address. Leave it empty for the one with the same name."
      />
      <SourceField
        name="folder"
        label="Folder"
        hint="With those below it. Leave it empty for all but junk, trash and drafts."
      />
      <SourceField
        name="fileBytesMax"
        label="Bytes of a message"
        hint="Larger messages are brought without their text and attachments."
        isNumber
      />
      <EncryptionField label="Encrypted connection also by imap (STARTTLS)" />
    </>
  );
}

function DirectoryFields() {
  return (
    <>
      <SourceField
        name="base"
        label="Base"
        placeholder="dc=example,dc=com"
        hint="Everything below it is looked at."
        missing="Enter a distinguished name."
      />
      <SourceField name="people" label="Filter of people" missing="Enter a filter." isCode />
      <SourceField
        name="groups"
        label="Filter of groups"
        hint="Leave it empty to bring none."
        isCode
      />
      <SourceField
        name="login"
        label="Attribute of user names"
        placeholder="uid"
        hint="People whose attribute is the name of a user here become members of the teams named as their groups. Leave it empty to leave teams as they are."
      />
      <TeamField />
      <EncryptionField label="Encrypted connection also by ldap (STARTTLS)" />
    </>
  );
}

function GitFields() {
  return (
    <>
      <SourceField
        name="branch"
        label="Branch"
        hint="Leave it empty for the one that the repository begins with."
      />
      <SourceField
        name="commits"
        label="Commits"
        hint="How many of the last ones are brought."
        isNumber
      />
      <SourceField
        name="fileBytesMax"
        label="Bytes of a file"
        hint="Larger files are brought without their content."
        isNumber
      />
      <TeamField />
    </>
  );
}

const OF_ACCESS_LISTS = { value: 'server', label: 'As the access lists of the server say' };

function FileFields({ hasAccessLists }: { readonly hasAccessLists: boolean }) {
  const { register, formState, watch } = useFormContext<ConnectorValues>();
  return (
    <>
      <SourceField
        name="fileBytesMax"
        label="Bytes of a file"
        hint="Larger files are brought without their content."
        isNumber
      />
      <SelectField
        label="Who may see the files"
        options={[
          { value: 'everybody', label: 'Everybody here' },
          ...(hasAccessLists ? [OF_ACCESS_LISTS] : []),
          { value: 'rules', label: 'As rules for folders say' },
        ]}
        {...register('source.access')}
      />
      {watch('source.access') === 'rules' && (
        <TextArea
          label="Rules"
          isCode
          placeholder="/staff: team North, user ann"
          hint="One a line. The longest path counts; what no rule leads to is left out."
          error={formState.errors.source?.rules?.message}
          {...register('source.rules', { validate: (rules) => faultOfRules(rules) ?? true })}
        />
      )}
    </>
  );
}

function DatabaseFields() {
  const { register, formState } = useFormContext<ConnectorValues>();
  return (
    <>
      <EncryptionField label="Encrypted connection (TLS)" />
      <TextArea
        label="Query"
        isCode
        error={formState.errors.source?.query?.message}
        {...register('source.query', { required: 'Enter a query.' })}
      />
      <SourceField
        name="changed"
        label="Column of changes"
        hint="When a row has changed last: then only newer rows are read. Leave it empty to read all."
      />
      <SourceField
        name="team"
        label="Column of teams"
        hint="The team that may see a row, by its name here. Leave it empty to open rows to everybody."
      />
    </>
  );
}
