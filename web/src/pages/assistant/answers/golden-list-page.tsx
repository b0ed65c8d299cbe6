import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { GoldenAnswersList } from '@trellis/contract/shapes/golden-answers.ts';
import { ListChecks } from 'lucide-react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { TextArea } from '../../../ui/field.tsx';
import { formatCount } from '../../../ui/format.ts';
import { ServerForm } from '../../../ui/server-form.tsx';
import { Time } from '../../../ui/time.tsx';
import { toastDone } from '../../../ui/toast.ts';
import { ListPage } from '../../manage/list-page.tsx';
import { type FirstQuestion, GoldenNameField, NuggetField, nuggetsOf } from './golden-fields.tsx';
import { GOLDEN_KEY, goldenListQuery } from './golden-queries.ts';
import { metricText } from './metric-words.ts';
import { RunState } from './run-state.tsx';

type Row = GoldenAnswersList['items'][number];

/** Sets of questions with what their answers must say (open-shapes, section 14). */
export function GoldenListPage() {
  const [isAdding, setIsAdding] = useState(false);
  const sets = useQuery(goldenListQuery);
  return (
    <ListPage
      title="Golden answers"
      description="Questions with what their answers must say, and must not. A run asks them as their users and measures the answers."
      addLabel="Add set"
      onAdd={() => setIsAdding(true)}
      query={sets}
      errorTitle="The golden answers could not be read"
      empty={{
        icon: ListChecks,
        title: 'No golden answers yet',
        text: 'Add a set, to see whether a change of tools, prompts or models makes answers better.',
      }}
      list={(items) => (
        <DataTable label="Sets" columns={COLUMNS} rows={items} keyOf={({ name }) => name} />
      )}
    >
      {isAdding && (
        <NewSetDialog
          others={(sets.data ?? []).map(({ name }) => name)}
          onClose={() => setIsAdding(false)}
        />
      )}
    </ListPage>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  {
    title: 'Set',
    cell: ({ name, description }) => (
      <div className="min-w-40">
        <Link
          to="/assistant/answers/$name"
          params={{ name }}
          className="font-mono text-[13px] font-medium text-accent hover:underline"
        >
          {name}
        </Link>
        <bdi className="line-clamp-2 max-w-prose text-[13px] text-muted wrap-anywhere">
          {description}
        </bdi>
      </div>
    ),
  },
  { title: 'Questions', isNumber: true, cell: ({ questions }) => formatCount(questions) },
  {
    title: 'Last run',
    cell: ({ lastRun }) => (lastRun === null ? 'None' : <RunState state={lastRun.state} />),
  },
  {
    title: 'Vital nuggets',
    isNumber: true,
    cell: ({ lastRun }) => metricText('nuggetRecallVital', lastRun?.metrics?.nuggetRecallVital),
  },
  {
    title: 'Started',
    isMinor: true,
    cell: ({ lastRun }) => (lastRun === null ? '' : <Time iso={lastRun.startedAt} />),
  },
];

interface NewSetDialogProps {
  readonly others: readonly string[];
  readonly onClose: () => void;
}

/** A set begins with one question; the others are added on its page. */
function NewSetDialog({ others, onClose }: NewSetDialogProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const form = useForm<FirstQuestion>({ defaultValues: { name: '', question: '', nugget: '' } });
  const { errors, isSubmitting } = form.formState;
  const create = async ({ name, question, nugget }: FirstQuestion) => {
    const nuggets = nuggetsOf({ nugget });
    await client.goldenAnswers.put(name, {
      questions: [{ id: 'question-1', question, nuggets }],
      version: 0,
    });
    await queries.invalidateQueries({ queryKey: GOLDEN_KEY });
    toastDone('The set is added', name);
    void navigate({ to: '/assistant/answers/$name', params: { name } });
  };
  return (
    <Dialog isOpen keepsOpen onClose={onClose} title="Add set">
      <ServerForm form={form} onSend={create}>
        <GoldenNameField others={others} />
        <TextArea
          label="First question"
          rows={2}
          error={errors.question?.message}
          {...form.register('question', { required: 'Enter a question.' })}
        />
        <NuggetField />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={isSubmitting}>
            Add set
          </Button>
        </DialogActions>
      </ServerForm>
    </Dialog>
  );
}
