import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { AsyncCombobox } from '../../../ui/async-combobox.tsx';
import { endpointListQuery } from '../../endpoints/endpoint-queries.ts';

const OFFERED_MAX = 20;

interface OfferedEndpoint {
  readonly name: string;
  /** Not known of the one that is chosen. */
  readonly isReadOnly?: boolean;
}

interface EndpointPickerProps {
  readonly hint: ReactNode;
  /** The name of one, or blank. */
  readonly value: string;
  readonly onChange: (name: string) => void;
  readonly error: string | undefined;
}

/** An endpoint, by a part of its name. */
export function EndpointPicker({ value, onChange, ...frame }: EndpointPickerProps) {
  const queries = useQueryClient();
  const find = async (text: string): Promise<readonly OfferedEndpoint[]> => {
    const all = await queries.ensureQueryData(endpointListQuery);
    const part = text.toLowerCase();
    return all.filter(({ name }) => name.toLowerCase().includes(part)).slice(0, OFFERED_MAX);
  };
  return (
    <AsyncCombobox<OfferedEndpoint>
      {...frame}
      label="Endpoint"
      placeholder="Part of a name"
      value={value === '' ? undefined : { name: value }}
      onChange={(chosen) => onChange(chosen?.name ?? '')}
      queryKey={['endpoint-names']}
      find={find}
      keyOf={({ name }) => name}
      labelOf={({ name }) => name}
      detailOf={({ isReadOnly }) => (isReadOnly === false ? 'Writes' : '')}
    />
  );
}
