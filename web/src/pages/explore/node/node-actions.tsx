import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Download, Eye, Network } from 'lucide-react';
import { client } from '../../../api/client.ts';
import { labelOf } from '../../../api/node-label.ts';
import { useViewer } from '../../../api/viewer.ts';
import { Button, buttonClasses } from '../../../ui/button.tsx';
import { formatBytes } from '../../../ui/format.ts';
import { Menu } from '../../../ui/menu.tsx';
import { saveDownload } from '../../../ui/save-download.ts';
import { toastError } from '../../../ui/toast.ts';
import { EditLink } from '../../data/edit-link.tsx';
import { AskLink } from './ask-link.tsx';
import { useFileDownload } from './use-file-download.ts';

/** What can be done with a node. */
export function NodeActions({ node }: { readonly node: NodeObject }) {
  const viewer = useViewer();
  return (
    <>
      <EditLink node={node} />
      {viewer?.seesAdministration === true && (
        <Link to="/manage/access/explain" search={{ node: node.UID }} className={buttonClasses()}>
          <Eye className="size-4" aria-hidden />
          Why visible?
        </Link>
      )}
      <AskLink uid={node.UID} />
      {node.Type === '_FileEntry' ? (
        <DownloadFile uid={node.UID} name={labelOf(node)} />
      ) : (
        <DownloadMenu uid={node.UID} />
      )}
      <Link to="/graph" search={{ node: node.UID }} className={buttonClasses('primary')}>
        <Network className="size-4" aria-hidden />
        Open in graph
      </Link>
    </>
  );
}

/** A file is downloaded as it is. */
function DownloadFile({ uid, name }: { readonly uid: string; readonly name: string }) {
  const { start, current } = useFileDownload();
  return (
    <Button
      icon={Download}
      isBusy={current !== undefined}
      onClick={() => start({ UID: uid, Name: name })}
    >
      {current === undefined ? 'Download file' : `Downloading, ${formatBytes(current.bytes)}`}
    </Button>
  );
}

type Format = 'csv' | 'jsonl';

function DownloadMenu({ uid }: { readonly uid: string }) {
  const download = useMutation({
    mutationFn: async (format: Format) => {
      const selection = { uids: [uid] };
      const options = { baseURL: location.href.replace(/#.*$/, '') };
      const file =
        format === 'csv'
          ? await client.nodes.downloadCsv(selection, options)
          : await client.nodes.downloadJsonl(selection, options);
      await saveDownload(file, `${uid}.${format}`);
    },
    onError: (error) => toastError('The node could not be downloaded', error),
  });
  return (
    <Menu
      trigger={
        <Button icon={Download} isBusy={download.isPending}>
          Download
        </Button>
      }
      items={[
        { label: 'As JSON lines', onSelect: () => download.mutate('jsonl') },
        { label: 'As CSV', onSelect: () => download.mutate('csv') },
      ]}
    />
  );
}
