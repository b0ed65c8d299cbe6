import type { FieldType } from '@trellis/contract/shapes/schema-document.ts';
import { Card } from '../../ui/card.tsx';
import { CheckboxField, CONTROL_CLASSES, SelectField, TextField } from '../../ui/field.tsx';
import {
  canHaveVectors,
  type FieldSettings,
  isTextType,
  LANGUAGES,
  type TypeSettings,
} from './search-settings.ts';

interface TypeSearchSettingsProps {
  readonly type: string;
  readonly fields: Readonly<Record<string, FieldType>>;
  readonly settings: TypeSettings;
  readonly onChange: (settings: TypeSettings) => void;
}

export function TypeSearchSettings({ type, fields, settings, onChange }: TypeSearchSettingsProps) {
  const names = [...new Set([...Object.keys(fields), ...Object.keys(settings.fields)])];
  const changeField = (name: string, field: FieldSettings) =>
    onChange({ ...settings, fields: { ...settings.fields, [name]: field } });
  return (
    <Card title={type}>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
        <CheckboxField
          label={`Search ${type}`}
          checked={settings.searchable}
          onChange={({ target }) => onChange({ ...settings, searchable: target.checked })}
        />
        <SelectField
          label={`Language of ${type}`}
          isLabelHidden
          className="w-64"
          disabled={!settings.searchable}
          value={settings.language}
          options={languageOptions(settings.language)}
          onChange={({ target }) => onChange({ ...settings, language: target.value })}
        />
        <label className="flex items-center gap-2 text-[13px] text-muted">
          Weight
          <input
            type="number"
            min={0.1}
            step="any"
            aria-label={`Weight of ${type}`}
            title="Among nodes of the same name, types of more weight come first."
            disabled={!settings.searchable}
            value={settings.weight ?? 1}
            onChange={({ target }) => onChange({ ...settings, weight: Number(target.value) })}
            className={`${CONTROL_CLASSES} h-8 w-16 px-2`}
          />
        </label>
      </div>
      {settings.searchable && (
        <ul className="mt-3 divide-y border-t">
          {names.map((name) => (
            <FieldRow
              key={name}
              type={type}
              name={name}
              fieldType={fields[name]}
              settings={settings.fields[name] ?? {}}
              onChange={(field) => changeField(name, field)}
            />
          ))}
        </ul>
      )}
    </Card>
  );
}

interface FieldRowProps {
  readonly type: string;
  readonly name: string;
  readonly fieldType: FieldType | undefined;
  readonly settings: FieldSettings;
  readonly onChange: (settings: FieldSettings) => void;
}

function FieldRow({ type, name, fieldType, settings, onChange }: FieldRowProps) {
  const { text, facet, vector, ...rest } = settings;
  const said = `${type} ${name}`;
  return (
    <li className="grid items-center gap-x-4 gap-y-2 py-2 sm:grid-cols-[12rem_6rem_8rem_6rem_1fr]">
      <span className="min-w-0 break-words">
        {name} <span className="text-[13px] text-muted">{fieldType}</span>
      </span>
      <CheckboxField
        label="Words"
        aria-label={`Words of ${said}`}
        disabled={!isTextType(fieldType)}
        checked={text !== undefined}
        onChange={({ target }) =>
          onChange({
            ...rest,
            ...(facet !== undefined && { facet }),
            ...(vector && { vector }),
            ...(target.checked && { text: { boost: 1 } }),
          })
        }
      />
      <label className="flex items-center gap-2 text-[13px] text-muted">
        Boost
        <input
          type="number"
          min={0.1}
          step="any"
          aria-label={`Boost of ${said}`}
          disabled={text === undefined}
          value={text?.boost ?? ''}
          onChange={({ target }) =>
            onChange({ ...settings, text: { ...text, boost: Number(target.value) } })
          }
          className={`${CONTROL_CLASSES} h-8 w-16 px-2`}
        />
      </label>
      <CheckboxField
        label="Facet"
        aria-label={`Facet of ${said}`}
        checked={facet === true}
        onChange={({ target }) => onChange({ ...settings, facet: target.checked })}
      />
      <VectorFields {...{ said, fieldType, settings, onChange }} />
    </li>
  );
}

interface VectorFieldsProps extends Pick<FieldRowProps, 'fieldType' | 'settings' | 'onChange'> {
  readonly said: string;
}

function VectorFields({ said, fieldType, settings, onChange }: VectorFieldsProps) {
  const { vector, ...rest } = settings;
  return (
    <div className="flex flex-wrap items-center gap-3">
      <CheckboxField
        label="Meaning"
        aria-label={`Meaning of ${said}`}
        disabled={!canHaveVectors(fieldType)}
        checked={vector !== undefined}
        onChange={({ target }) => onChange({ ...rest, ...(target.checked && { vector: {} }) })}
      />
      {vector !== undefined && (
        <TextField
          label={`Model of ${said}`}
          isLabelHidden
          className="w-52"
          placeholder="Model of the provider"
          value={vector.model ?? ''}
          onChange={({ target: { value } }) => {
            const { model: _, ...others } = vector;
            onChange({ ...rest, vector: { ...others, ...(value !== '' && { model: value }) } });
          }}
        />
      )}
    </div>
  );
}

function languageOptions(chosen: string): { value: string; label: string }[] {
  const options = LANGUAGES.map(([value, label]) => ({
    value: value as string,
    label: label as string,
  }));
  const isKnown = options.some(({ value }) => value === chosen);
  return isKnown ? options : [...options, { value: chosen, label: chosen }];
}
