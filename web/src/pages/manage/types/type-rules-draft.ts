import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { TrellisError } from '@trellis/client/trellis-error.ts';
import { useState } from 'react';
import { client } from '../../../api/client.ts';
import { toastDone } from '../../../ui/toast.ts';
import { typeRulesQuery } from './access-types.ts';
import { changesBetween, type RuleChange, type TypeRules, withChanges } from './type-rules.ts';

interface Draft {
  /** What the changes were begun upon. */
  readonly base: TypeRules;
  readonly rules: TypeRules;
  /** What somebody else has changed since. */
  readonly others: readonly RuleChange[];
}

/** The rules as they are, and as the viewer wants them, until they are saved as a whole. */
export function useRulesDraft() {
  const queries = useQueryClient();
  const query = useQuery(typeRulesQuery);
  const [draft, setDraft] = useState<Draft>();
  const changes = draft === undefined ? [] : changesBetween(draft.base, draft.rules);
  const save = useMutation({
    mutationFn: async () => {
      if (draft === undefined) return;
      const latest = (await client.access.getTypes()).types;
      if (changesBetween(draft.base, latest).length > 0) {
        setDraft(rebased(draft, latest));
        return;
      }
      const { types } = await client.access.putTypes({ types: draft.rules });
      queries.setQueryData(typeRulesQuery.queryKey, types);
      setDraft(undefined);
      toastDone('The rules are saved');
    },
    onError: async (error) => {
      if (!(error instanceof TrellisError) || error.code !== 'version_conflict') return;
      const latest = (await client.access.getTypes()).types;
      setDraft((last) => last && rebased(last, latest));
    },
  });
  return {
    query,
    rules: draft?.rules ?? query.data ?? {},
    changes,
    others: draft?.others ?? [],
    edit: (change: (rules: TypeRules) => TypeRules) =>
      setDraft((last) => {
        const { base, rules, others } = last ?? begun(query.data ?? {});
        return { base, rules: change(rules), others };
      }),
    discard: () => {
      setDraft(undefined);
      save.reset();
      void queries.invalidateQueries({ queryKey: typeRulesQuery.queryKey });
    },
    save,
  };
}

function begun(rules: TypeRules): Draft {
  return { base: rules, rules, others: [] };
}

function rebased({ base, rules }: Draft, latest: TypeRules): Draft {
  return {
    base: latest,
    rules: withChanges(latest, changesBetween(base, rules)),
    others: changesBetween(base, latest),
  };
}
