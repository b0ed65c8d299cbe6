import { useMutation } from '@tanstack/react-query';
import { Download, Pause, Play, RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { ChipList } from '../../../ui/chip.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { ListSearch } from '../../../ui/list-search.tsx';
import { saveDownload } from '../../../ui/save-download.ts';
import { Switch } from '../../../ui/switch.tsx';
import { toastError } from '../../../ui/toast.ts';
import { filterOf, type LogAddress, spanOf } from './log-address.ts';
import { LEVEL_OPTIONS, ORIGIN_OPTIONS } from './log-levels.ts';
import { LogRange } from './log-range.tsx';

interface LogFilterBarProps {
  readonly address: LogAddress;
  readonly onChange: (change: LogAddress) => void;
  readonly onRefresh: () => void;
  readonly isBusy: boolean;
  /** What chooses the columns. */
  readonly columns: ReactNode;
  readonly live: LiveControl;
}

export interface LiveControl {
  readonly isOn: boolean;
  readonly isPaused: boolean;
  readonly waiting: number;
  readonly pause: () => void;
  readonly goOn: () => void;
}

/** What the records have to fit, and what can be done with them. */
export function LogFilterBar(props: LogFilterBarProps) {
  const { address, onChange, onRefresh, isBusy, columns, live } = props;
  const { query = '', level = '', origin = '' } = address;
  return (
    <div className="mb-4 flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <ListSearch
          label="Text in the record"
          query={query}
          className="w-full sm:w-64"
          onSearch={(text) => onChange({ query: text || undefined })}
        />
        <LogRange {...{ address, onChange }} />
        <SelectField
          label="Level"
          isLabelHidden
          value={level}
          options={LEVEL_OPTIONS}
          onChange={({ target }) => onChange({ level: target.value || undefined })}
        />
        <SelectField
          label="Source"
          isLabelHidden
          value={origin}
          options={ORIGIN_OPTIONS}
          onChange={({ target }) => onChange({ origin: target.value || undefined })}
        />
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <Button icon={RefreshCw} isBusy={isBusy} onClick={onRefresh}>
          Refresh
        </Button>
        <Switch
          label="Live"
          isOn={live.isOn}
          onChange={(isOn) => onChange({ live: isOn ? 'true' : undefined })}
        />
        {live.isOn && <PauseButton {...live} />}
        <span className="flex-1" />
        {columns}
        <DownloadButton address={address} />
      </div>
      <Narrowed {...{ address, onChange }} />
    </div>
  );
}

function PauseButton({ isPaused, waiting, pause, goOn }: LiveControl) {
  if (!isPaused) {
    return (
      <Button icon={Pause} onClick={pause}>
        Pause
      </Button>
    );
  }
  return (
    <Button icon={Play} onClick={goOn}>
      {waiting === 0 ? 'Go on' : `Go on (${waiting} new)`}
    </Button>
  );
}

/** Every record that fits, not only those on the page. */
function DownloadButton({ address }: { readonly address: LogAddress }) {
  const download = useMutation({
    mutationFn: async () => {
      const { from, to } = spanOf(address, Date.now());
      const answer = await client.logs.download({ ...filterOf(address), from, to });
      await saveDownload(answer, 'trellis.log');
    },
    onError: (error) => toastError('The records could not be downloaded', error),
  });
  return (
    <Button icon={Download} isBusy={download.isPending} onClick={() => download.mutate()}>
      Download
    </Button>
  );
}

const NARROWED = { endpoint: 'Endpoint', job: 'Job', request: 'Request' } as const;

/** What the table was narrowed to by a click on a value, or by a link to here. */
function Narrowed({ address, onChange }: Pick<LogFilterBarProps, 'address' | 'onChange'>) {
  const items = Object.entries(NARROWED).flatMap(([key, label]) => {
    const value = address[key as keyof typeof NARROWED];
    return value === undefined ? [] : [{ key, text: `${label}: ${value}` }];
  });
  return (
    <ChipList
      label="Narrowed to"
      items={items}
      onRemove={(key) => onChange({ [key]: undefined })}
    />
  );
}
