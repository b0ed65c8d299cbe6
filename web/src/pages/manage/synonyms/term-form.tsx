import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { SYNONYM_CHARACTERS_MAX } from '@trellis/contract/limits.ts';
import type { SynonymLists, SynonymRecord } from '@trellis/contract/shapes/search.ts';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { ChipsInput } from '../../../ui/chips-input.tsx';
import { DialogActions } from '../../../ui/dialog.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { CheckboxField, SelectField } from '../../../ui/field.tsx';
import { toastDone } from '../../../ui/toast.ts';
import { ForgetTerm } from './forget-term.tsx';
import { refreshSynonyms } from './synonym-queries.ts';
import { LIST_HINTS, LIST_NAMES, listsOf, mirrored, withWord } from './term-lists.ts';
import { TermSuggestions } from './term-suggestions.tsx';

interface TermFormProps {
  readonly lang: string;
  readonly token: string;
  readonly record: SynonymRecord;
  readonly isAllowed: boolean;
  readonly onDone: () => void;
}

interface How {
  readonly replace: boolean;
  readonly ignoreCase: boolean;
  readonly isMirrored: boolean;
}

export function TermForm({ lang, token, record, isAllowed, onDone }: TermFormProps) {
  const [lists, setLists] = useState(() => listsOf(record));
  const [how, setHow] = useState<How>({ replace: true, ignoreCase: true, isMirrored: false });
  const save = useSaveTerm(lang, token, onDone);
  const isStored = LIST_NAMES.some((name) => record[name].length > 0);
  return (
    <form
      className="flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate({ lists, how });
      }}
    >
      {LIST_NAMES.map((name) => (
        <ChipsInput
          key={name}
          label={name}
          hint={LIST_HINTS[name]}
          values={lists[name]}
          maxLength={SYNONYM_CHARACTERS_MAX}
          onChange={(words) => setLists((last) => ({ ...last, [name]: words }))}
          isDisabled={!isAllowed}
        />
      ))}
      <TermSuggestions
        lang={lang}
        token={token}
        lists={lists}
        isAllowed={isAllowed}
        onAdd={(name, word) => setLists((last) => withWord(last, name, word))}
      />
      <HowFields how={how} onChange={setHow} isDisabled={!isAllowed} />
      {save.isError && <ErrorPanel title="The term was not stored" error={save.error} />}
      <DialogActions>
        {isStored && (
          <ForgetTerm lang={lang} token={token} isDisabled={!isAllowed} onDone={onDone} />
        )}
        <Button kind="primary" type="submit" disabled={!isAllowed} isBusy={save.isPending}>
          Save
        </Button>
      </DialogActions>
    </form>
  );
}

interface HowFieldsProps {
  readonly how: How;
  readonly onChange: (how: How) => void;
  readonly isDisabled: boolean;
}

function HowFields({ how, onChange, isDisabled }: HowFieldsProps) {
  return (
    <fieldset className="flex flex-col gap-3" disabled={isDisabled}>
      <SelectField
        label="What is stored already"
        value={how.replace ? 'replace' : 'merge'}
        onChange={({ target }) => onChange({ ...how, replace: target.value === 'replace' })}
        options={[
          { value: 'replace', label: 'Is replaced by these lists' },
          { value: 'merge', label: 'Stays, and these lists are added' },
        ]}
      />
      <CheckboxField
        label="Ignore case"
        hint="Otherwise a term with capitals is used only for words with the same capitals."
        checked={how.ignoreCase}
        onChange={({ target }) => onChange({ ...how, ignoreCase: target.checked })}
      />
      <CheckboxField
        label="Store the other direction too"
        hint="A search for one of these words finds the term as well."
        checked={how.isMirrored}
        onChange={({ target }) => onChange({ ...how, isMirrored: target.checked })}
      />
    </fieldset>
  );
}

/**
 * The other direction is a call for each word, after the term itself: each adds to what goes with
 * that word.
 */
function useSaveTerm(lang: string, token: string, onDone: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ lists, how }: { lists: SynonymLists; how: How }) => {
      const { replace, ignoreCase, isMirrored } = how;
      await client.synonyms.put(lists, { token, lang, replace, ignoreCase });
      for (const other of isMirrored ? mirrored(token, lists) : []) {
        const word = { token: other.token, lang, replace: false, ignoreCase };
        await client.synonyms.put(other.lists, word);
      }
    },
    onSuccess: () => {
      toastDone('The term is stored', token);
      onDone();
    },
    // What was stored before one of several calls failed is there.
    onSettled: () => refreshSynonyms(queries),
  });
}
