import { Link } from '@tanstack/react-router';
import { ExternalLink } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Chip } from '../../../ui/chip.tsx';
import { formatBytes, formatCount, formatDateTime } from '../../../ui/format.ts';
import { FoldedText } from './folded-text.tsx';
import { base64Bytes, isGeoPoint, kindOf } from './value-kind.ts';

const ITEMS_SHOWN = 20;
const CHIP_CHARACTERS_MAX = 60;
const COORDINATE_DIGITS = 5;

interface FieldValueProps {
  /** The name of the field: it names what is folded and unfolded. */
  readonly name: string;
  readonly value: unknown;
  /** One of the scalar types of the schema, where it is known. */
  readonly type: string | undefined;
}

export function FieldValue(props: FieldValueProps) {
  const { value, name, type } = props;
  if (Array.isArray(value) && type !== 'Json') {
    return <ListValue name={name} values={value} type={type} />;
  }
  return <ScalarValue {...props} />;
}

function ScalarValue({ name, value, type }: FieldValueProps) {
  switch (kindOf(value, type)) {
    case 'none':
      return <Faint>No value</Faint>;
    case 'flag':
      return value === true ? 'Yes' : 'No';
    case 'number':
      return <span className="tabular-nums">{String(value)}</span>;
    case 'time':
      return <time dateTime={String(value)}>{formatDateTime(String(value))}</time>;
    case 'node':
      return (
        <Link
          to="/node/$uid"
          params={{ uid: String(value) }}
          className="font-mono text-[13px] text-accent wrap-anywhere hover:underline"
        >
          {String(value)}
        </Link>
      );
    case 'place':
      return isGeoPoint(value) && <Place point={value} />;
    case 'bytes':
      return <Bytes name={name} base64={String(value)} />;
    case 'address':
      return (
        <a
          href={String(value)}
          target="_blank"
          rel="noopener noreferrer"
          className="inline-flex items-center gap-1 text-accent wrap-anywhere hover:underline"
        >
          {String(value)}
          <ExternalLink className="size-3.5 shrink-0" aria-label="(opens a new tab)" />
        </a>
      );
    case 'json':
      return <FoldedText name={name} text={JSON.stringify(value, null, 2)} isCode />;
    case 'text':
      if (value === '') return <Faint>Empty text</Faint>;
      return <FoldedText name={name} text={String(value)} />;
  }
}

interface ListValueProps {
  readonly name: string;
  readonly values: readonly unknown[];
  readonly type: string | undefined;
}

function ListValue({ name, values, type }: ListValueProps) {
  const [isWhole, setIsWhole] = useState(false);
  if (values.length === 0) return <Faint>Empty list</Faint>;
  const shown = isWhole ? values : values.slice(0, ITEMS_SHOWN);
  const isShort = values.every(isShortText);
  return (
    <>
      <ul className={isShort ? 'flex flex-wrap gap-1.5' : 'list-disc pl-5'}>
        {shown.map((value, i) => (
          // A value may stand in a list twice: its place is what tells it from the other.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={i} className="max-w-full min-w-0">
            {isShort ? (
              <Chip text={String(value)} />
            ) : (
              <ScalarValue name={`${name} ${i + 1}`} value={value} type={type} />
            )}
          </li>
        ))}
      </ul>
      {values.length > ITEMS_SHOWN && (
        <Button
          kind="quiet"
          size="small"
          className="mt-1 -ml-2.5"
          aria-expanded={isWhole}
          onClick={() => setIsWhole(!isWhole)}
        >
          {isWhole ? 'Show fewer' : `Show all ${formatCount(values.length)}`}
          <span className="sr-only">of {name}</span>
        </Button>
      )}
    </>
  );
}

function isShortText(value: unknown): boolean {
  if (typeof value === 'number') return true;
  return (
    typeof value === 'string' &&
    value !== '' &&
    value.length <= CHIP_CHARACTERS_MAX &&
    kindOf(value, undefined) === 'text'
  );
}

function Place({ point: { lat, lon } }: { readonly point: { lat: number; lon: number } }) {
  const digits = (value: number) => String(Number(Math.abs(value).toFixed(COORDINATE_DIGITS)));
  return (
    <a
      href={`https://www.openstreetmap.org/?mlat=${lat}&mlon=${lon}#map=8/${lat}/${lon}`}
      target="_blank"
      rel="noopener noreferrer"
      className="inline-flex items-center gap-1 text-accent tabular-nums hover:underline"
    >
      {digits(lat)}° {lat < 0 ? 'S' : 'N'}, {digits(lon)}° {lon < 0 ? 'W' : 'E'}
      <ExternalLink className="size-3.5 shrink-0" aria-label="(opens a map in a new tab)" />
    </a>
  );
}

function Bytes({ name, base64 }: { readonly name: string; readonly base64: string }) {
  return (
    <div>
      {formatBytes(base64Bytes(base64))} of data
      <details className="text-[13px]">
        <summary className="w-fit text-muted">
          Show as base64 <span className="sr-only">: {name}</span>
        </summary>
        <FoldedText name={name} text={base64} isCode />
      </details>
    </div>
  );
}

function Faint({ children }: { readonly children: string }) {
  return <span className="text-faint italic">{children}</span>;
}
