package main

import (
	"fmt"

	"oriel.dev/oriel/host"
)

// mostRecords is how many records are shown at most: as many as the log keeps at
// hand.
const mostRecords = 1000

type auditCmd struct {
	Last int  `short:"n" default:"20" placeholder:"N" help:"How many records, at most 1000."`
	JSON bool `name:"json" help:"As JSON, that an act began as a record of its own."`
}

// Help is shown below the flags.
func (auditCmd) Help() string {
	return `Every act and every refusal is recorded before it is answered, with secrets masked. How long records are kept say audit.days and audit.rows in the settings.`
}

// Run shows the newest records.
func (cmd *auditCmd) Run(s *session) error {
	if cmd.Last < 1 || cmd.Last > mostRecords {
		return &failure{exitUsage, fmt.Errorf("--last is %d: choose 1 to %d", cmd.Last, mostRecords)}
	}
	c, err := s.settings()
	if err != nil {
		return err
	}
	deeds, err := host.RecentDeeds(s.ctx, c.Dirs.State, cmd.Last)
	if err != nil {
		return err
	}
	if cmd.JSON {
		return writeJSON(s, deeds)
	}
	return host.WriteDeeds(s.stdout, deeds)
}
