import { Autocomplete } from '@base-ui/react/autocomplete';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Building2, User } from 'lucide-react';
import { useDeferredValue, useId, useState } from 'react';
import { client } from '../api/client.ts';
import { nameOf, useNames } from '../api/names.ts';
import { ChipList } from './chip.tsx';
import { CONTROL_CLASSES, describedBy, type FieldFrame, Frame } from './field.tsx';

/** A user or a team. */
export interface Principal {
  readonly kind: 'user' | 'team';
  readonly uid: string;
  readonly name: string;
  /** What tells it from others of that name. */
  readonly detail: string;
}

interface PrincipalsFieldProps extends FieldFrame {
  /** UIDs. */
  readonly value: readonly string[];
  readonly onChange: (uids: readonly string[]) => void;
  readonly kind: Principal['kind'];
  /** One at most: it takes the place of the field. */
  readonly isSingle?: boolean;
  readonly isDisabled?: boolean;
  /** Those that cannot be chosen. */
  readonly except?: readonly string[];
}

const SHOWN = 8;
const ICONS = { user: User, team: Building2 } as const;

/** Users or teams, found by a few letters of their names. */
export function PrincipalsField(props: PrincipalsFieldProps) {
  const { value, onChange, kind, isSingle = false, isDisabled = false, except, ...frame } = props;
  const id = useId();
  const nameOfUid = useNames(value);
  const Icon = ICONS[kind];
  const isFull = isSingle && value.length > 0;
  return (
    <Frame {...frame} id={id}>
      <ChipList
        label={frame.label}
        icon={<Icon className="size-3.5 shrink-0 text-muted" aria-hidden />}
        items={value.map((uid) => ({ key: uid, text: nameOfUid(uid) }))}
        onRemove={isDisabled ? undefined : (uid) => onChange(value.filter((one) => one !== uid))}
      />
      <div className={isFull ? 'sr-only' : undefined}>
        <PrincipalSearch
          id={id}
          kind={kind}
          isDisabled={isDisabled || isFull}
          except={[...value, ...(except ?? [])]}
          describedBy={describedBy(id, frame)}
          isInvalid={frame.error !== undefined}
          onChoose={({ uid }) => onChange(isSingle ? [uid] : [...value, uid])}
        />
      </div>
    </Frame>
  );
}

interface SearchProps {
  readonly id: string;
  readonly kind: Principal['kind'];
  readonly isDisabled: boolean;
  readonly isInvalid: boolean;
  readonly describedBy: string | undefined;
  readonly except: readonly string[];
  readonly onChoose: (principal: Principal) => void;
}

function PrincipalSearch(props: SearchProps) {
  const { id, kind, isDisabled, isInvalid, except, onChoose } = props;
  const [text, setText] = useState('');
  const [isOpen, setIsOpen] = useState(false);
  const { items, isPending, failure } = usePrincipals(kind, text, except, isOpen);
  const Icon = ICONS[kind];
  return (
    <Autocomplete.Root
      items={items}
      mode="none"
      openOnInputClick
      disabled={isDisabled}
      onOpenChange={setIsOpen}
      value={text}
      onValueChange={(typed, { reason }) => setText(reason === 'item-press' ? '' : typed)}
      itemToStringValue={(item: Principal) => item.name}
    >
      <Autocomplete.Input
        id={id}
        dir="auto"
        aria-invalid={isInvalid || undefined}
        aria-describedby={props.describedBy}
        placeholder={kind === 'user' ? 'Find a user' : 'Find a team'}
        className={`${CONTROL_CLASSES} h-9`}
      />
      <Autocomplete.Portal>
        <Autocomplete.Positioner sideOffset={4} className="z-50 outline-none">
          <Autocomplete.Popup className="w-(--anchor-width) min-w-56 rounded-card border bg-raised p-1 shadow-raised outline-none">
            <Autocomplete.Empty className="px-3 py-2 text-muted empty:hidden">
              {failure ?? (isPending ? 'Looking…' : `No ${kind} matches.`)}
            </Autocomplete.Empty>
            <Autocomplete.List className="max-h-64 overflow-y-auto empty:hidden">
              {(item: Principal) => (
                <Autocomplete.Item
                  key={item.uid}
                  value={item}
                  onClick={() => onChoose(item)}
                  className="option flex items-center gap-2 px-2.5 py-1.5"
                >
                  <Icon className="size-4 shrink-0 text-muted" aria-hidden />
                  <bdi className="min-w-0 truncate">{item.name}</bdi>
                  <span className="ml-auto truncate text-[13px] text-muted">{item.detail}</span>
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
          </Autocomplete.Popup>
        </Autocomplete.Positioner>
      </Autocomplete.Portal>
    </Autocomplete.Root>
  );
}

function usePrincipals(
  kind: Principal['kind'],
  text: string,
  except: readonly string[],
  isOpen: boolean,
) {
  const query = useDeferredValue(text.trim());
  const { data, isPending, error } = useQuery({
    queryKey: [kind === 'user' ? 'users' : 'teams', 'found', query],
    queryFn: ({ signal }) => findPrincipals(kind, query, signal),
    enabled: isOpen,
    placeholderData: keepPreviousData,
  });
  const items = (data ?? []).filter(({ uid }) => !except.includes(uid)).slice(0, SHOWN);
  return { items, isPending, failure: error?.message };
}

async function findPrincipals(
  kind: Principal['kind'],
  query: string,
  signal: AbortSignal,
): Promise<readonly Principal[]> {
  const page = { query, take: SHOWN * 4 };
  if (kind === 'team') {
    const { items } = await client.teams.list(page, { signal });
    return items.map((team) => ({ kind, uid: team.UID, name: nameOf(team), detail: '' }));
  }
  const { items } = await client.users.list(page, { signal });
  return items
    .filter((user) => user['Active'] !== false)
    .map((user) => ({
      kind,
      uid: user.UID,
      name: nameOf(user),
      detail: user.UserName ?? '',
    }));
}
