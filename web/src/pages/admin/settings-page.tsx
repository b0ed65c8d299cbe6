import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { WorkspaceSettingsDocument } from '@trellis/contract/shapes/workspace.ts';
import { useForm, type UseFormReturn } from 'react-hook-form';
import { client } from '../../api/client.ts';
import { useChangePermission } from '../../app/permissions.ts';
import { useRequestedAction } from '../../app/requested-action.ts';
import {
  SETTING_FIELDS,
  SETTING_NAMES,
  settingAction,
  type SettingField,
} from '../../app/setting-fields.ts';
import { Card } from '../../ui/card.tsx';
import { CheckboxField, SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { ServerForm } from '../../ui/server-form.tsx';
import { toastDone } from '../../ui/toast.ts';
import { SaveOrDiscard } from '../../ui/save-or-discard.tsx';
import { PermissionNotice } from '../manage/permission-notice.tsx';
import { interfacesQuery } from './interfaces.ts';
import { settingsQuery } from './settings.ts';

export function SettingsPage() {
  const settings = useQuery(settingsQuery);
  return (
    <>
      <PageHeader
        title="Workspace settings"
        description="Settings for everybody in the workspace."
      />
      <QueryView query={settings} errorTitle="The settings could not be read">
        {(data) => <SettingsForm settings={data} />}
      </QueryView>
    </>
  );
}

/** Lists are written one entry a line. */
interface SettingsText {
  readonly name: string;
  readonly teamsEnabled: boolean;
  readonly ReplicaURLs: string;
  readonly fetchAllowList: string;
  readonly interface: string;
}

function SettingsForm({ settings }: { readonly settings: WorkspaceSettingsDocument }) {
  const permission = useChangePermission();
  const queries = useQueryClient();
  const form = useForm<SettingsText>({ values: textOf(settings) });
  const { errors, isDirty, isSubmitting } = form.formState;
  const save = async (text: SettingsText) => {
    const saved = await client.workspace.putSettings(settingsOf(text));
    queries.setQueryData(settingsQuery.queryKey, saved);
    void queries.invalidateQueries({ queryKey: interfacesQuery.queryKey });
    toastDone('The settings are saved');
  };
  return (
    <>
      <PermissionNotice permission={permission} />
      {SETTING_NAMES.map((field) => (
        <RequestedField key={field} field={field} onFocus={form.setFocus} />
      ))}
      <ServerForm
        form={form}
        onSend={save}
        isDisabled={!permission.isAllowed}
        className="max-w-3xl"
      >
        <Card title="Workspace">
          <div className="flex flex-col gap-4">
            <TextField
              label={SETTING_FIELDS.name.label}
              error={errors.name?.message}
              {...form.register('name')}
            />
            <CheckboxField
              label={SETTING_FIELDS.teamsEnabled.label}
              hint="Otherwise only administrators create and change teams."
              {...form.register('teamsEnabled')}
            />
            <InterfaceField
              register={form.register('interface')}
              error={errors.interface?.message}
            />
          </div>
        </Card>
        <NetworkCard form={form} />
        <SaveOrDiscard isChanged={isDirty} isBusy={isSubmitting} onDiscard={() => form.reset()} />
      </ServerForm>
    </>
  );
}

interface RequestedFieldProps {
  readonly field: SettingField;
  readonly onFocus: (field: SettingField) => void;
}

/** A field that was asked for gets the focus. */
function RequestedField({ field, onFocus }: RequestedFieldProps) {
  useRequestedAction(settingAction(field), () => onFocus(field));
  return null;
}

function NetworkCard({ form }: { readonly form: UseFormReturn<SettingsText> }) {
  return (
    <Card title="Network">
      <div className="flex flex-col gap-4">
        <TextArea
          label={SETTING_FIELDS.ReplicaURLs.label}
          hint="Servers to read from, in addition to the registered replicas: one URL per line."
          isCode
          error={form.formState.errors.ReplicaURLs?.message}
          {...form.register('ReplicaURLs')}
        />
        <TextArea
          label={SETTING_FIELDS.fetchAllowList.label}
          hint="One origin per line, such as https://api.example.com. Without any, endpoints, webhooks and connectors reach nobody."
          isCode
          error={form.formState.errors.fetchAllowList?.message}
          {...form.register('fetchAllowList')}
        />
      </div>
    </Card>
  );
}

interface InterfaceFieldProps {
  readonly register: React.ComponentProps<'select'>;
  readonly error: string | undefined;
}

function InterfaceField({ register, error }: InterfaceFieldProps) {
  const { data } = useQuery(interfacesQuery);
  const uploaded = data?.items.map(({ name }) => ({ value: name, label: name })) ?? [];
  return (
    <SelectField
      label={SETTING_FIELDS.interface.label}
      hint="The front end at the address of the workspace. The built-in one is always at /trellis/ too."
      options={[{ value: '', label: 'Built in' }, ...uploaded]}
      error={error}
      {...register}
    />
  );
}

function textOf(settings: WorkspaceSettingsDocument): SettingsText {
  return {
    name: settings.name,
    teamsEnabled: settings.teamsEnabled,
    ReplicaURLs: settings.ReplicaURLs.split(';').filter(Boolean).join('\n'),
    fetchAllowList: settings.fetchAllowList.join('\n'),
    interface: settings.interface ?? '',
  };
}

function settingsOf(text: SettingsText): WorkspaceSettingsDocument {
  return {
    name: text.name,
    teamsEnabled: text.teamsEnabled,
    ReplicaURLs: linesOf(text.ReplicaURLs).join(';'),
    fetchAllowList: linesOf(text.fetchAllowList),
    interface: text.interface === '' ? null : text.interface,
  };
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
}
